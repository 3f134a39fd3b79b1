// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "backend/hsa/conformance/child.hpp"
#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/pointer.hpp"
#include "backend/hsa/conformance/scene.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

using Arguments = std::vector<std::string>;

abi::hsa_amd_ipc_memory_t parse_handle(const std::string& text) {
  abi::hsa_amd_ipc_memory_t handle{};
  std::size_t at = 0;
  for (auto& word : handle.handle) {
    word = static_cast<std::uint32_t>(std::stoul(text.substr(at, 8), nullptr, 16));
    at += 8;
  }
  return handle;
}

/// Attached for a life, for all GPUs.
class Import {
 public:
  Import(const Session& session, const Arguments& arguments) : session_(session) {
    const auto handle = parse_handle(arguments.at(0));
    const auto agents = session.reaching(0);
    bytes_ = std::stoull(arguments.at(1));
    status_ = session.calls().hsa_amd_ipc_memory_attach(
        &handle, bytes_, static_cast<std::uint32_t>(agents.size()), agents.data(), &pointer_);
  }
  ~Import() {
    if (status_ == abi::HSA_STATUS_SUCCESS && !session_.left_behind()) {
      static_cast<void>(session_.calls().hsa_amd_ipc_memory_detach(pointer_));
    }
  }
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;

  [[nodiscard]] abi::hsa_status_t status() const { return status_; }
  [[nodiscard]] Block block() const { return {static_cast<std::byte*>(pointer_), bytes_, 0}; }

 private:
  const Session& session_;
  void* pointer_ = nullptr;
  Bytes bytes_ = 0;
  abi::hsa_status_t status_ = abi::HSA_STATUS_ERROR;
};

/// HANDLE BYTES SEED NEXT: finds the bytes of one seed and leaves those of the next.
std::string attach(Session& session, const Arguments& arguments) {
  const Import import(session, arguments);
  expect_status(session.calls(), import.status(), abi::HSA_STATUS_SUCCESS, "an attach");
  const Block block = import.block();
  const auto facts = pointer_facts(session, block.at);
  expect(facts.info.type == abi::HSA_EXT_POINTER_TYPE_IPC, "pointer type 4 (IPC)",
         fmt::format("{}", static_cast<int>(facts.info.type)));
  const auto seed = static_cast<unsigned>(std::stoul(arguments.at(2)));
  const auto next = static_cast<unsigned>(std::stoul(arguments.at(3)));
  Scene scene(session);
  const int last = session.count() - 1;
  const int other = last > 0 && session.gpu(last).links[0].reaches ? last : 0;
  const Block own = scene.block(other, block.bytes);
  scene.copy(scene.transfer(own, block));
  expect_bytes(scene.read(own), random_bytes(block.bytes, seed), "attached memory");
  scene.fill(own, random_bytes(block.bytes, next));
  scene.copy(scene.transfer(block, own));
  return fmt::format("pushed both ways, by GPUs 0 and {}", other);
}

/// HANDLE BYTES.
std::string attach_freed(Session& session, const Arguments& arguments) {
  const Import import(session, arguments);
  return expect_error(session.calls(), import.status(), "an attach to memory that was freed");
}

std::string plain_copy(Session& session, const Arguments&) {
  Scene scene(session);
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(0, bytes, 1);
  const Block to = scene.block(1, bytes);
  scene.copy(scene.transfer(to, from));
  expect_bytes(scene.read(to), random_bytes(bytes, 1), "the destination");
  return "no error tells it";
}

std::string reversed(Session& session, const Arguments&) {
  Scene scene(session);
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(0, bytes, 1);
  const Block to = scene.block(1, bytes);
  auto transfer = scene.transfer(to, from);
  const auto engine = transfer.engine;
  const auto gate = scene.gate();
  transfer.after = {gate};
  const auto completion = scene.start(transfer);
  const auto busy = [&](int gpu) {
    return (idle_engines(session, gpu, 1 - gpu).engines & engine) == 0;
  };
  scene.expect_soon([&] { return busy(1) && !busy(0); }, "the destination's GPU alone busy",
                    [&] { return fmt::format("GPU 0 busy: {}, GPU 1: {}", busy(0), busy(1)); });
  scene.set(gate, 0);
  scene.finish(completion);
  expect_bytes(scene.read(to), random_bytes(bytes, 1), "the destination");
  return {};
}

std::string six_dependencies(Session& session, const Arguments&) {
  Scene scene(session);
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(0, bytes, 1);
  const Block to = scene.block(1, bytes);
  auto transfer = scene.transfer(to, from);
  for (int at = 0; at < 6; ++at) transfer.after.push_back(scene.signal(0));
  scene.copy(transfer);
  expect_bytes(scene.read(to), random_bytes(bytes, 1), "the destination");
  return "the copy ran";
}

/// Waits for a fault, a negative completion or the deadline.
std::string no_access(Session& session, const Arguments&) {
  Scene scene(session);
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(0, bytes, 1);
  const Block to = scene.private_block(1, bytes);
  const auto before = random_bytes(bytes, 2);
  scene.fill(to, before);
  const auto completion = scene.start(scene.transfer(to, from));
  scene.expect_soon([&] { return session.fault() != 0 || scene.load(completion) < 0; },
                    "a memory fault or a negative completion signal",
                    [&] { return fmt::format("a signal of {}", scene.load(completion)); });
  const bool faulted = session.fault() != 0;
  session.forget_fault();
  expect_bytes(scene.read(to), before, "memory without access");
  return fmt::format("{}, a signal of {}", faulted ? "a memory fault" : "no fault",
                     scene.load(completion));
}

struct Job {
  const char* name;
  std::string (*run)(Session& session, const Arguments& arguments);
};
constexpr Job kJobs[] = {
    {"attach", attach},     {"attach-freed", attach_freed},         {"plain-copy", plain_copy},
    {"reversed", reversed}, {"six-dependencies", six_dependencies}, {"no-access", no_access},
};

}  // namespace

std::string run_job(Session& session, const std::string& job, const Arguments& arguments) {
  for (const auto& one : kJobs) {
    if (job == one.name) return one.run(session, arguments);
  }
  throw InputError("no such job: " + job);
}

}  // namespace conccl::backend::hsa::conformance
