// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Groups of which a call fails: what the peers know of it, and what may be done after.

#include "conccl/core/errors.hpp"
#include "tests/comm/support.hpp"

namespace conccl::test {
namespace {

using plan::Collective;

constexpr Bytes kBytes = 4096;

class GroupFailure : public testing::Test {
 protected:
  World world_{2};
};

TEST_F(GroupFailure, OfACheckHasToldNobodyAnything) {
  std::vector<backend::Memory> memory;
  comm::Group registrations;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    memory.push_back(world_.devices[rank]->allocate(kBytes));
    (void)world_.comms[rank].register_window(memory[rank].data(), kBytes / 2);
  }
  registrations.end();

  Exchange exchange(world_, {Collective::all_gather, 100}, 1);
  comm::Group group;
  for (int rank = 0; rank < 2; ++rank) exchange.call(rank);
  world_.comm(1).all_gather(memory[1].at(kBytes - 8), memory[1].at(kBytes / 2 - 8), 8,
                            DataType::uint8, world_.stream(1));
  EXPECT_THAT([&group] { group.end(); },
              testing::ThrowsMessage<InputError>(testing::HasSubstr("recv leaves its window")));

  EXPECT_EQ(world_.comm(0).async_error(), std::nullopt);
  exchange.call_all();
  world_.synchronize();
  EXPECT_TRUE(exchange.right());
}

TEST_F(GroupFailure, OfAPostedCallFailsTheCommunicatorsOfTheOthers) {
  auto broken = world_.more_communicators(World::patient());
  broken[0].abort("beforehand");
  Exchange exchange(world_, {Collective::all_gather, 100}, 1);
  Exchange hopeless(world_, broken, {Collective::all_gather, 100}, 2);
  comm::Group group;
  for (int rank = 0; rank < 2; ++rank) exchange.call(rank);
  hopeless.call(0);
  EXPECT_THROW(group.end(), RunError);
  EXPECT_THAT(world_.comm(1).async_error().value_or(""),
              testing::HasSubstr("another call of its group failed"));
  world_.synchronize();
}

TEST_F(GroupFailure, LeavesTheNumbersOfWindowsEqualOnAllRanks) {
  const auto extra = world_.device(0).allocate(64);
  {
    const comm::Group dropped;
    (void)world_.comm(0).register_window(extra.data(), 64);
  }
  std::vector<backend::Memory> send;
  std::vector<backend::Memory> recv;
  for (auto& device : world_.devices) {
    send.push_back(device->allocate(64));
    recv.push_back(device->allocate(128));
  }
  comm::Group registrations;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    (void)world_.comms[rank].register_window(send[rank].data(), 64);
    (void)world_.comms[rank].register_window(recv[rank].data(), 128);
  }
  registrations.end();
  comm::Group calls;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    world_.comms[rank].all_gather(send[rank].data(), recv[rank].data(), 64, DataType::uint8,
                                  *world_.streams[rank]);
  }
  calls.end();
  world_.synchronize();
  EXPECT_EQ(world_.comm(0).async_error(), std::nullopt);
}

}  // namespace
}  // namespace conccl::test
