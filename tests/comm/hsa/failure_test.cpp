// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What ranks hear when the GPU of one of them fails.

#include "tests/comm/support.hpp"
#include "tests/fakes/hsa/control.hpp"

namespace conccl::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(HsaFailure, OfOneRanksCopyIsEverybodysFailureByName) {
  World world(4);
  FakeHsa fake(CONCCL_FAKE_HSA_PATH);
  Exchange exchange(world, world.comms, {.count = 1000}, 1);
  fake.set("fail_copy_at", 3);
  exchange.call_all();
  for (auto& stream : world.streams) {
    try {
      static_cast<void>(stream->synchronize(kPatience));
    } catch (const RunError&) {
      // The rank whose GPU it was.
    }
  }
  for (int rank = 0; rank < world.ranks(); ++rank) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!world.comm(rank).async_error() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_THAT(world.comm(rank).async_error().value_or("none"),
                AllOf(HasSubstr("its device failed"), HasSubstr("failed with signal value"),
                      HasSubstr("on engine")));
  }
}

}  // namespace
}  // namespace conccl::test
