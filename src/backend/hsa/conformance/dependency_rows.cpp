// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>

#include "backend/hsa/conformance/child.hpp"
#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/rows.hpp"
#include "backend/hsa/conformance/scene.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

/// A copy of random bytes from GPU 0 to GPU 1, and what was there before.
struct Pushed {
  explicit Pushed(Scene& scene) : bytes(scene.session().settings().bytes) {
    from = scene.random_block(0, bytes, 1);
    to = scene.random_block(1, bytes, 2);
    transfer = scene.transfer(to, from);
  }
  void expect_before(Scene& scene) const {
    expect_bytes(scene.read(to), random_bytes(bytes, 2), "a destination whose copy is held");
  }
  void expect_after(Scene& scene) const {
    expect_bytes(scene.read(to), random_bytes(bytes, 1), "the destination");
  }

  Bytes bytes;
  Block from;
  Block to;
  Transfer transfer;
};

abi::hsa_status_t submit_with_list(Scene& scene, const Transfer& transfer, std::uint32_t count,
                                   const abi::hsa_signal_t* list, abi::hsa_signal_t completion) {
  const auto& session = scene.session();
  const auto status = session.calls().hsa_amd_memory_async_copy_on_engine(
      transfer.dst, session.agent(1), transfer.src, session.agent(0), transfer.bytes, count, list,
      completion, static_cast<abi::hsa_amd_sdma_engine_id_t>(transfer.engine), true);
  if (status == abi::HSA_STATUS_SUCCESS) scene.note(completion, 1);
  return status;
}

std::string dependency_list(Session& session) {
  session.demand_peers();
  Scene scene(session);
  const Pushed push(scene);
  const auto met = scene.signal(0);
  const auto completion = scene.signal(1);
  expect_status(session.calls(), submit_with_list(scene, push.transfer, 0, &met, completion),
                abi::HSA_STATUS_ERROR_INVALID_ARGUMENT,
                "a list of no dependencies that is not null");
  expect_status(session.calls(), submit_with_list(scene, push.transfer, 1, nullptr, completion),
                abi::HSA_STATUS_ERROR_INVALID_ARGUMENT, "one dependency in a list that is null");
  scene.expect_still(completion, 1, "a refused copy does not touch it");
  push.expect_before(scene);
  return {};
}

/// A copy that must be held while its dependency has each of these values, and run at 0.
void expect_held(Session& session, std::span<const abi::hsa_signal_value_t> values) {
  Scene scene(session);
  Pushed push(scene);
  const auto gate = scene.gate();
  scene.set(gate, values.front());
  push.transfer.after = {gate};
  const auto completion = scene.start(push.transfer);
  for (const auto value : values) {
    scene.set(gate, value);
    const auto why = fmt::format("its dependency is {}", value);
    scene.expect_still(completion, 1, why.c_str());
  }
  push.expect_before(scene);
  scene.set(gate, 0);
  scene.finish(completion);
  push.expect_after(scene);
}

std::string exactly_zero(Session& session) {
  session.demand_peers();
  constexpr std::array<abi::hsa_signal_value_t, 2> kValues{1, 7};
  expect_held(session, kValues);
  return {};
}

std::string never_negative(Session& session) {
  session.demand_peers();
  constexpr std::array<abi::hsa_signal_value_t, 2> kValues{-1, -6};
  expect_held(session, kValues);
  return "dependants of a failed copy hang";
}

std::string both_halves(Session& session) {
  session.demand_peers();
  constexpr std::array<abi::hsa_signal_value_t, 2> kValues{abi::hsa_signal_value_t{1} << 32, 1};
  expect_held(session, kValues);
  return {};
}

std::string five_dependencies(Session& session) {
  session.demand_peers();
  constexpr std::size_t kMost = 5;
  Scene scene(session);
  Pushed push(scene);
  for (std::size_t at = 0; at < kMost; ++at) push.transfer.after.push_back(scene.gate());
  const auto completion = scene.start(push.transfer);
  // Opened out of order: the last one opened is not the last of the list.
  for (const std::size_t at : {4U, 0U, 2U, 3U}) {
    scene.set(push.transfer.after[at], 0);
    scene.expect_still(completion, 1, "not all of its 5 dependencies are met");
  }
  push.expect_before(scene);
  scene.set(push.transfer.after[1], 0);
  scene.finish(completion);
  push.expect_after(scene);
  return {};
}

/// GPU 0 to 1 and on to GPU 0: the second copy reads what the first has written.
std::string chained(Session& session) {
  session.demand_peers();
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    Scene scene(session);
    const auto seed = static_cast<unsigned>(round);
    const auto bytes = session.settings().bytes;
    const Block first = scene.random_block(0, bytes, seed);
    const Block second = scene.random_block(1, bytes, seed + 100);
    const Block third = scene.random_block(1, bytes, seed + 200);
    const auto one = scene.start(scene.transfer(second, first));
    auto onward = scene.transfer(third, second);
    // The same engine of the same GPU: its order alone promises nothing.
    onward.src_agent = 0;
    onward.engine = session.engine(0, 1);
    onward.after = {one};
    const auto two = scene.start(onward);
    scene.finish(two);
    expect_bytes(scene.read(third), random_bytes(bytes, seed), "the end of a chain of two copies");
  }
  return fmt::format("{} chains of two copies on one engine", kRounds);
}

/// What two copies on one engine do without a dependency between them: said, never a difference.
std::string unordered(Session& session) {
  session.demand_peers();
  Scene scene(session);
  Pushed held(scene);
  const Pushed next(scene);
  const auto gate = scene.gate();
  held.transfer.after = {gate};
  const auto first = scene.start(held.transfer);
  const auto second = scene.start(next.transfer);
  const auto until = std::chrono::steady_clock::now() + kQuiet;
  while (scene.load(second) > 0 && std::chrono::steady_clock::now() < until) session.watch().beat();
  const bool overtakes = scene.load(second) == 0;
  scene.set(gate, 0);
  scene.finish(first);
  scene.finish(second);
  held.expect_after(scene);
  next.expect_after(scene);
  return overtakes ? "the second overtook a held first" : "a held copy held the next";
}

std::string six_dependencies(Session& session) {
  session.demand_peers();
  const auto end = run_child(session, {"six-dependencies", {}, {}});
  if (end.signal != 0) return fmt::format("the process ended by signal {}", end.signal);
  expect(false, "a process that does not survive it (no bounds check is known)", end.text);
  return {};
}

}  // namespace

std::span<const Row> dependency_rows() {
  static constexpr Row kRows[] = {
      {"dependency-list", "a dependency list is null exactly when it is empty", dependency_list},
      {"dependency-zero", "a copy runs once its dependency is 0", exactly_zero},
      {"dependency-negative", "a dependency that is negative is never met", never_negative},
      {"dependency-halves", "both halves of a dependency's 64 bits must be 0", both_halves},
      {"five-dependencies", "5 dependencies hold a copy until all are met", five_dependencies},
      {"dependency-orders", "a dependency orders two copies on one engine", chained},
      {"no-dependency", "without one, copies on one engine may overlap", unordered},
      {"six-dependencies", "more than 5 dependencies overrun an array", six_dependencies,
       Danger::corrupts_or_hangs},
  };
  return kRows;
}

}  // namespace conccl::backend::hsa::conformance
