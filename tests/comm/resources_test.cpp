// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Communicators come and go: neither threads nor file descriptors pile up.

#include <filesystem>

#include "tests/comm/support.hpp"

namespace conccl::test {
namespace {

std::ptrdiff_t entries_of(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

void use_once(World& world) {
  auto comms = world.more_communicators(World::patient());
  Exchange exchange(world, comms, {plan::Collective::all_gather, 1000}, 1);
  exchange.call_all();
  world.synchronize();
  ASSERT_TRUE(exchange.right());
}

TEST(Resources, TwoHundredCommunicators) {
  World world(2);
  use_once(world);
  const auto threads = entries_of("/proc/self/task");
  const auto files = entries_of("/proc/self/fd");
  for (int i = 0; i < 200; ++i) use_once(world);
  EXPECT_EQ(entries_of("/proc/self/task"), threads);
  EXPECT_EQ(entries_of("/proc/self/fd"), files);
}

}  // namespace
}  // namespace conccl::test
