// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Collectives in graphs, on queues that record and replay: what communicators do about it. That
// devices' own graphs do as these is tested on the devices.

#include "tests/comm/capture_support.hpp"

namespace conccl {
namespace {

using namespace conccl::test;
using testing::Each;

TEST_F(Capture, IsReplayedAsOftenAsWanted) {
  const auto graphs = capture([&](int rank) { all_to_all(rank); });
  for (int round = 0; round < 100; ++round) {
    fill(round);
    launch(graphs);
    expect_exchanged(round);
  }
}

TEST_F(Capture, ReplaysFollowOneAnotherWithoutTheHost) {
  const auto graphs = capture([&](int rank) { all_gather(rank); });
  fill(1);
  for (int launched = 0; launched < 200; ++launched) launch(graphs);
  expect_gathered(1);
}

TEST_F(Capture, DoesNothingUntilLaunched) {
  fill(0);
  const auto graphs = capture([&](int rank) { all_gather(rank); });
  synchronize();
  EXPECT_EQ(recv(0)[0], std::byte{0xDB});
}

TEST_F(Capture, MixesWithCallsAndOtherGraphs) {
  const auto gather = capture([&](int rank) { all_gather(rank); });
  const auto exchange = capture([&](int rank) { all_to_all(rank); });
  for (int round = 0; round < 20; ++round) {
    fill(5 * round);
    EXPECT_THAT(on_each_rank(ranks(), [&](int rank) { all_to_all(rank); }), Each(""));
    expect_exchanged(5 * round);
    fill(5 * round + 1);
    launch(gather);
    expect_gathered(5 * round + 1);
    fill(5 * round + 2);
    EXPECT_THAT(on_each_rank(ranks(), [&](int rank) { all_gather(rank); }), Each(""));
    launch(exchange);
    expect_exchanged(5 * round + 2);
  }
}

TEST_F(Capture, TwoCollectivesInOneGraph) {
  const auto graphs = capture([&](int rank) {
    all_to_all(rank);
    all_gather(rank);
  });
  for (int round = 0; round < 20; ++round) {
    fill(round);
    launch(graphs);
    launch(graphs);
    expect_gathered(round);
  }
}

TEST_F(Capture, OneThreadGroups) {
  std::vector<Graph> graphs;
  for (int rank = 0; rank < ranks(); ++rank) stream(rank).begin();
  comm::Group group;
  for (int rank = 0; rank < ranks(); ++rank) all_to_all(rank);
  group.end();
  for (int rank = 0; rank < ranks(); ++rank) graphs.push_back(stream(rank).end());
  for (int round = 0; round < 10; ++round) {
    fill(round);
    launch(graphs);
    expect_exchanged(round);
  }
}

TEST_F(Capture, ManyGraphsComeAndGo) {
  for (int round = 0; round < 100; ++round) {
    const auto graphs = capture([&](int rank) {
      all_gather(rank);
      all_to_all(rank);
    });
    fill(round);
    launch(graphs);
    expect_exchanged(round);
  }
}

TEST_F(Capture, ManyGraphsAtATime) {
  std::vector<std::vector<Graph>> all;
  for (int made = 0; made < 80; ++made) {
    all.push_back(capture([&](int rank) { all_to_all(rank); }));
  }
  for (int round = 0; round < 80; ++round) {
    fill(round);
    launch(all[static_cast<std::size_t>(round)]);
    expect_exchanged(round);
  }
}

TEST_F(Capture, AWindowStaysWhileAGraphMayTouchIt) {
  const auto graphs = capture([&](int rank) { all_to_all(rank); });
  for (int rank = 0; rank < ranks(); ++rank) world().comm(rank).deregister(send_window(rank));
  fill(3);
  launch(graphs);
  expect_exchanged(3);
}

TEST_F(Capture, OfNoBytes) {
  const auto graphs = capture([&](int rank) { all_to_all(rank, 0); });
  for (const Graph& graph : graphs) EXPECT_TRUE(graph.operations.empty());
  fill(1);
  EXPECT_THAT(on_each_rank(ranks(), [&](int rank) { all_to_all(rank); }), Each(""));
  expect_exchanged(1);
}

TEST_F(Capture, RegistrationMeanwhileIsNotPartOfIt) {
  std::vector<backend::Memory> more;
  for (int rank = 0; rank < ranks(); ++rank) more.push_back(world().device(rank).allocate(64));
  const auto graphs = capture([&](int rank) {
    static_cast<void>(world().comm(rank).register_window(more[World::at(rank)].data(), 64));
    all_to_all(rank);
  });
  fill(2);
  launch(graphs);
  expect_exchanged(2);
}

}  // namespace
}  // namespace conccl
