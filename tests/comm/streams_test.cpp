// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Several collectives at once: back to back on one stream, on two communicators, on two streams.

#include "tests/comm/support.hpp"

namespace conccl::test {
namespace {

using plan::Collective;

constexpr std::uint64_t kSizes[] = {1, 40'000, 0, 3, 300'001, 4096, 17, 65'536, 1000, 777'777};

std::vector<Trial> mixed_trials(std::size_t count) {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < count; ++i) {
    Trial trial;
    trial.collective = i % 2 == 0 ? Collective::all_gather : Collective::all_to_all;
    trial.count = kSizes[i % std::size(kSizes)];
    trial.windowed = i % 3 == 0;
    trials.push_back(trial);
  }
  return trials;
}

/// One exchange per trial, before any of them is called: calls then follow each other closely.
std::vector<std::unique_ptr<Exchange>> exchanges_of(World& world,
                                                    std::vector<comm::Communicator>& comms,
                                                    const std::vector<Trial>& trials,
                                                    std::uint64_t seed) {
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (const Trial& trial : trials) {
    exchanges.push_back(std::make_unique<Exchange>(world, comms, trial, ++seed));
  }
  return exchanges;
}

TEST(Streams, ManyCallsInFlight) {
  World world(4);
  const auto exchanges = exchanges_of(world, world.comms, mixed_trials(30), 1);
  const auto outcomes = on_each_rank(4, [&exchanges](int rank) {
    for (const auto& exchange : exchanges) exchange->call(rank);
  });
  EXPECT_THAT(outcomes, testing::Each(""));
  world.synchronize();
  for (const auto& exchange : exchanges) EXPECT_TRUE(exchange->right());
}

TEST(Streams, ManyCallsInOneGroup) {
  World world(3);
  const auto exchanges = exchanges_of(world, world.comms, mixed_trials(20), 50);
  comm::Group group;
  for (const auto& exchange : exchanges) exchange->call_all();  // groups nest
  group.end();
  world.synchronize();
  for (const auto& exchange : exchanges) EXPECT_TRUE(exchange->right());
}

TEST(Streams, ACallSeesWhatTheOneBeforeLeft) {
  World world(3);
  const Bytes block = 100'000;
  std::vector<backend::Memory> first;
  std::vector<backend::Memory> gathered;
  std::vector<backend::Memory> last;
  for (int rank = 0; rank < 3; ++rank) {
    first.push_back(world.device(rank).allocate(block));
    std::fill_n(first.back().at(0), block, static_cast<std::byte>(rank + 1));
    gathered.push_back(world.device(rank).allocate(3 * block));
    last.push_back(world.device(rank).allocate(3 * block));
  }
  comm::Group group;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    auto& comm = world.comms[rank];
    auto& stream = *world.streams[rank];
    comm.all_gather(first[rank].data(), gathered[rank].data(), block, DataType::uint8, stream);
    comm.all_to_all(gathered[rank].data(), last[rank].data(), block, DataType::uint8, stream);
  }
  group.end();
  world.synchronize();
  for (std::size_t rank = 0; rank < 3; ++rank) {
    // Block r of every rank's gathered buffer is rank r's: all of `last` holds this rank's byte.
    for (Bytes at = 0; at < 3 * block; ++at) {
      ASSERT_EQ(*last[rank].at(at), static_cast<std::byte>(rank + 1))
          << "rank " << rank << ", " << at;
    }
  }
}

TEST(Streams, TwoCommunicatorsInterleaved) {
  World world(4);
  comm::Options options = World::patient();
  options.name = "second";
  options.direction = plan::Direction::pull;
  auto second = world.more_communicators(options);
  const auto a = exchanges_of(world, world.comms, mixed_trials(12), 200);
  const auto b = exchanges_of(world, second, mixed_trials(12), 300);
  std::vector<std::unique_ptr<backend::Queue>> streams;
  for (int rank = 0; rank < 4; ++rank) streams.push_back(world.more_stream(rank));
  const auto outcomes = on_each_rank(4, [&](int rank) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i]->call(rank);
      b[i]->call(rank, i % 2 == 0 ? world.stream(rank) : *streams[World::at(rank)]);
    }
  });
  EXPECT_THAT(outcomes, testing::Each(""));
  world.synchronize();
  for (const auto& stream : streams) ASSERT_TRUE(stream->synchronize(kPatience));
  for (const auto& exchange : a) EXPECT_TRUE(exchange->right());
  for (const auto& exchange : b) EXPECT_TRUE(exchange->right());
}

TEST(Streams, OneCommunicatorOnTwoStreamsIsSerialised) {
  World world(3);
  const auto exchanges = exchanges_of(world, world.comms, mixed_trials(16), 400);
  std::vector<std::unique_ptr<backend::Queue>> other;
  std::vector<std::unique_ptr<backend::FlagBlock>> hold;
  for (int rank = 0; rank < 3; ++rank) {
    other.push_back(world.more_stream(rank));
    hold.push_back(world.device(rank).make_flags(1));
    world.stream(rank).wait({hold.back().get(), 0}, 1);
  }
  const auto outcomes = on_each_rank(3, [&](int rank) {
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
      exchanges[i]->call(rank, i % 2 == 0 ? world.stream(rank) : *other[World::at(rank)]);
    }
  });
  EXPECT_THAT(outcomes, testing::Each(""));
  // The first stream is held, and the second must not overtake it.
  for (const auto& stream : other) EXPECT_FALSE(stream->synchronize(20ms));
  for (const auto& flags : hold) flags->raise(0, 1);
  world.synchronize();
  for (const auto& stream : other) ASSERT_TRUE(stream->synchronize(kPatience));
  for (const auto& exchange : exchanges) EXPECT_TRUE(exchange->right());
}

TEST(Streams, AGroupWithoutEndDropsItsCalls) {
  World world(2);
  Exchange dropped(world, {Collective::all_gather, 1000}, 1);
  Exchange kept(world, {Collective::all_gather, 1000}, 2);
  {
    const comm::Group group;
    dropped.call(0);
    dropped.call(1);
  }
  kept.call_all();
  world.synchronize();
  EXPECT_TRUE(kept.right());
  EXPECT_FALSE(dropped.right());
}

}  // namespace
}  // namespace conccl::test
