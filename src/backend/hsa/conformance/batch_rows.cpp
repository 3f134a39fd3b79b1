// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/rows.hpp"
#include "backend/hsa/conformance/scene.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

/// Copies from GPU 0 to each of its peers, twice, each with a signal of its own.
class Batch {
 public:
  explicit Batch(Scene& scene) : scene_(scene), bytes_(scene.session().settings().bytes) {
    const Session& session = scene.session();
    from_ = scene.random_block(0, bytes_, 1);
    for (int at = 0; at < 2 * (session.count() - 1); ++at) {
      blocks_.push_back(scene.random_block(1 + at % (session.count() - 1), bytes_, 2));
      abi::hsa_amd_memory_copy_op_t op{};
      op.version = 1;
      op.type = abi::HSA_AMD_MEMORY_COPY_OP_LINEAR;
      op.completion_signal = scene.signal(1);
      op.src = from_.at;
      op.src_agent = session.agent(0);
      op.dst = blocks_.back().at;
      op.dst_agent = session.agent(blocks_.back().place);
      op.size = bytes_;
      ops_.push_back(op);
    }
  }

  std::vector<abi::hsa_amd_memory_copy_op_t>& ops() { return ops_; }

  abi::hsa_status_t submit(const std::vector<abi::hsa_signal_t>& after) {
    const auto status = scene_.session().calls().hsa_amd_memory_async_batch_copy(
        ops_.data(), static_cast<std::uint32_t>(ops_.size()),
        static_cast<std::uint32_t>(after.size()), after.empty() ? nullptr : after.data());
    if (status != abi::HSA_STATUS_SUCCESS) return status;
    for (const auto& op : ops_) scene_.note(op.completion_signal, 1);
    return status;
  }

  void expect_untouched(const char* why) {
    for (const auto& op : ops_) scene_.expect_still(op.completion_signal, 1, why);
    expect_all(2);
  }
  void expect_done() {
    for (const auto& op : ops_) scene_.finish(op.completion_signal);
    expect_all(1);
  }

 private:
  void expect_all(unsigned seed) {
    for (const auto& block : blocks_) {
      expect_bytes(scene_.read(block), random_bytes(bytes_, seed), "a destination of the batch");
    }
  }

  Scene& scene_;
  Bytes bytes_;
  Block from_;
  std::vector<Block> blocks_;
  std::vector<abi::hsa_amd_memory_copy_op_t> ops_;
};

void demand(const Session& session) {
  session.demand_peers();
  session.demand("hsa_amd_memory_async_batch_copy");
}

std::string own_signals(Session& session) {
  demand(session);
  Scene scene(session);
  Batch batch(scene);
  expect_status(session.calls(), batch.submit({}), abi::HSA_STATUS_SUCCESS, "a batch of copies");
  batch.expect_done();
  return fmt::format("{} copies", batch.ops().size());
}

std::string dependencies(Session& session) {
  demand(session);
  Scene scene(session);
  Batch batch(scene);
  const auto gate = scene.gate();
  expect_status(session.calls(), batch.submit({gate}), abi::HSA_STATUS_SUCCESS,
                "a batch of copies with a dependency");
  batch.expect_untouched("the batch's dependency is not met");
  scene.set(gate, 0);
  batch.expect_done();
  return {};
}

std::string version(Session& session) {
  demand(session);
  Scene scene(session);
  Batch batch(scene);
  for (auto& op : batch.ops()) op.version = 2;
  const auto text = expect_error(session.calls(), batch.submit({}), "copies of version 2");
  batch.expect_untouched("a refused batch does not touch it");
  return text;
}

}  // namespace

std::span<const Row> batch_rows() {
  static constexpr Row kRows[] = {
      {"batch-signals", "a batch takes one signal for each copy, from 1 to 0", own_signals},
      {"batch-dependency", "a batch's dependency holds all of its copies", dependencies},
      {"batch-version", "a copy of a batch is of version 1", version},
  };
  return kRows;
}

}  // namespace conccl::backend::hsa::conformance
