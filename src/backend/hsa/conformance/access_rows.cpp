// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "backend/hsa/conformance/child.hpp"
#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/pointer.hpp"
#include "backend/hsa/conformance/rows.hpp"
#include "backend/hsa/conformance/scene.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

constexpr Bytes kAccessBytes = 2 * kMiB;

abi::hsa_status_t allow(const Session& session, const std::vector<int>& gpus, const void* pointer,
                        const std::uint32_t* flags = nullptr) {
  std::vector<abi::hsa_agent_t> agents;
  for (const int gpu : gpus) agents.push_back(session.agent(gpu));
  return session.calls().hsa_amd_agents_allow_access(static_cast<std::uint32_t>(agents.size()),
                                                     agents.data(), flags, pointer);
}

void expect_reach(const Session& session, const Block& block, int gpu, bool reached) {
  const auto facts = pointer_facts(session, block.at);
  expect(facts.reached_by(session.agent(gpu)) == reached,
         fmt::format("memory of GPU {} that GPU {} {}", block.place, gpu,
                     reached ? "reaches" : "does not reach"),
         fmt::format("{} agents that reach it", facts.agents.size()));
}

std::string replaces(Session& session) {
  session.demand_peers();
  Scene scene(session);
  const Block block = scene.private_block(0, kAccessBytes);
  expect_status(session.calls(), allow(session, {1}, block.at), abi::HSA_STATUS_SUCCESS,
                "access for GPU 1");
  expect_reach(session, block, 1, true);
  const int last = session.count() - 1;
  expect_status(session.calls(), allow(session, {last == 1 ? 0 : last}, block.at),
                abi::HSA_STATUS_SUCCESS, "access for another GPU");
  expect_reach(session, block, 1, false);
  if (last != 1) expect_reach(session, block, last, true);
  // Granted again, a copy of GPU 1 that reads it is served.
  expect_status(session.calls(), allow(session, {1}, block.at), abi::HSA_STATUS_SUCCESS,
                "access for GPU 1");
  const auto data = random_bytes(kAccessBytes, 3);
  scene.fill_by(1, block, data);
  expect_bytes(scene.read_by(1, block), data, "memory of GPU 0 that GPU 1 wrote and read");
  return "pass the whole list each time";
}

std::string wants_base(Session& session) {
  session.demand_peers();
  Scene scene(session);
  const Block block = scene.private_block(0, kAccessBytes);
  const auto text = expect_error(session.calls(), allow(session, {1}, block.at + 4096),
                                 "access to an address within an allocation");
  expect_reach(session, block, 1, false);
  return text;
}

std::string flags_null(Session& session) {
  session.demand_peers();
  Scene scene(session);
  const Block block = scene.private_block(0, kAccessBytes);
  const std::uint32_t flags = 0;
  expect_status(session.calls(), allow(session, {1}, block.at, &flags),
                abi::HSA_STATUS_ERROR_INVALID_ARGUMENT, "access with flags that are not null");
  expect_status(session.calls(), allow(session, {}, block.at),
                abi::HSA_STATUS_ERROR_INVALID_ARGUMENT, "access for no agents");
  return {};
}

std::string copy_without_access(Session& session) {
  session.demand_peers();
  const auto end = run_child(session, {"no-access", {}, {}});
  if (end.signal != 0) return fmt::format("the process ended by signal {}", end.signal);
  expect(end.code == 0, "a copy that fails and moves nothing", end.text);
  return end.text;
}

}  // namespace

std::span<const Row> access_rows() {
  static constexpr Row kRows[] = {
      {"access-replaces", "allow_access replaces the list of agents", replaces},
      {"access-base", "it wants the allocation's base", wants_base},
      {"access-flags", "its flags are null, and its list is not empty", flags_null},
      {"no-access", "a copy that touches memory without access fails", copy_without_access,
       Danger::corrupts_or_hangs},
  };
  return kRows;
}

}  // namespace conccl::backend::hsa::conformance
