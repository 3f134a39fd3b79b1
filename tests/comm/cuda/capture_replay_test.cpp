// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/cuda.hpp"
#include "tests/comm/cuda/graphs.hpp"

namespace conccl {
namespace {

using namespace conccl::test;
using plan::Placement;

constexpr Bytes kBlock = 40'000;
constexpr Collective kGather{plan::Collective::all_gather, Placement::out_of_place, kBlock};
constexpr Collective kGatherInPlace{plan::Collective::all_gather, Placement::in_place, kBlock};
constexpr Collective kExchange{plan::Collective::all_to_all, Placement::out_of_place, kBlock};
constexpr Collective kLargeExchange{plan::Collective::all_to_all, Placement::out_of_place, 1 << 20};

using CapturedReplay = GraphTest;

class EachCollective : public GraphTest, public testing::WithParamInterface<Collective> {
 protected:
  void replay(const Graphs& graphs, int times) {
    for (int round = 0; round < times; ++round) {
      fill(GetParam(), static_cast<std::uint64_t>(round));
      launch(graphs);
      compare(GetParam(), static_cast<std::uint64_t>(round));
    }
    expect_right();
  }
};

TEST_P(EachCollective, IsReplayedWithOtherBytesEachTime) {
  const auto graphs = capture([this](int rank) { call(rank, GetParam()); });
  if (HasFailure()) return;
  replay(graphs, 100);
}

TEST_P(EachCollective, IsCapturedByOneThreadForAllRanks) {
  const auto graphs = capture_by_one_thread([this](int rank) { call(rank, GetParam()); });
  if (HasFailure()) return;
  replay(graphs, 100);
}

INSTANTIATE_TEST_SUITE_P(All, EachCollective,
                         testing::Values(kGather, kGatherInPlace, kExchange, kLargeExchange));

TEST_F(CapturedReplay, NothingRunsUntilItIsLaunched) {
  fill(kExchange, 1);
  call_all(kExchange);
  compare(kExchange, 1);
  const auto graphs = capture([this](int rank) { call(rank, kGather); });
  compare(kExchange, 1);
  expect_right();
}

TEST_F(CapturedReplay, ReplaysFollowOneAnotherWithoutTheHost) {
  const auto graphs = capture([this](int rank) { call(rank, kGather); });
  if (HasFailure()) return;
  fill(kGather, 9);
  for (int launched = 0; launched < 300; ++launched) launch(graphs);
  compare(kGather, 9);
  expect_right();
}

TEST_F(CapturedReplay, MixesWithCallsAndWithOtherGraphs) {
  const auto gathers = capture([this](int rank) { call(rank, kGather); });
  const auto exchanges = capture([this](int rank) { call(rank, kExchange); });
  if (HasFailure()) return;
  for (std::uint64_t round = 0; round < 60; round += 4) {
    fill(kExchange, round);
    call_all(kExchange);
    compare(kExchange, round);
    fill(kGather, round + 1);
    launch(gathers);
    compare(kGather, round + 1);
    fill(kGather, round + 2);
    call_all(kGather);
    compare(kGather, round + 2);
    fill(kExchange, round + 3);
    launch(gathers);
    launch(exchanges);
    compare(kExchange, round + 3);
  }
  expect_right();
}

TEST_F(CapturedReplay, TwoCollectivesInOneGraph) {
  const auto graphs = capture([this](int rank) {
    call(rank, kExchange);
    call(rank, kGather);
    call(rank, kExchange);
  });
  if (HasFailure()) return;
  for (std::uint64_t round = 0; round < 50; ++round) {
    fill(kExchange, round);
    launch(graphs);
    launch(graphs);
    compare(kExchange, round);
  }
  expect_right();
}

/// Two streams of every rank; calls go to those that are in front.
class SideStreams : public GraphTest {
 protected:
  SideStreams() {
    for (int number = 0; number < kRanks; ++number) {
      Spare& made = spare_.emplace_back();
      made.raw = rank(number).gpu->make_stream(plan::Priority::normal);
      made.stream = backend::cuda::wrap_stream(*rank(number).device, made.raw.get());
    }
  }

  void change_places() {
    for (int number = 0; number < kRanks; ++number) {
      Spare& other = spare_[static_cast<std::size_t>(number)];
      std::swap(other.raw, rank(number).raw);
      std::swap(other.stream, rank(number).stream);
    }
  }
  void begin() {
    for (int number = 0; number < kRanks; ++number) rank(number).begin();
  }
  [[nodiscard]] Graphs end() {
    Graphs graphs;
    for (int number = 0; number < kRanks; ++number) graphs.push_back(rank(number).end());
    EXPECT_THAT(graphs, testing::Each(testing::NotNull()));
    return graphs;
  }

 private:
  struct Spare {
    backend::cuda::Stream raw;
    std::unique_ptr<backend::Queue> stream;
  };
  std::vector<Spare> spare_;
};

TEST_F(SideStreams, CallsAreMadeWhileAnotherStreamIsCaptured) {
  begin();
  call_all(kExchange);
  change_places();
  fill(kExchange, 5);
  call_all(kExchange);
  compare(kExchange, 5);
  expect_right();
  change_places();
  call_all(kExchange);
  const auto graphs = end();
  if (HasFailure()) return;
  fill(kExchange, 6);
  launch(graphs);
  compare(kExchange, 6);
  expect_right();
}

TEST_F(SideStreams, TwoStreamsAreCapturedAtATime) {
  begin();
  change_places();
  begin();
  call_all(kGather);
  change_places();
  call_all(kExchange);
  change_places();
  call_all(kExchange);
  const auto second = end();
  change_places();
  const auto first = end();
  if (HasFailure()) return;
  for (std::uint64_t round = 0; round < 40; round += 2) {
    fill(kExchange, round);
    launch(first);
    compare(kExchange, round);
    fill(kExchange, round + 1);
    launch(second);
    compare(kExchange, round + 1);
  }
  expect_right();
}

TEST_F(CapturedReplay, GraphsComeAndGo) {
  for (std::uint64_t round = 0; round < 50; ++round) {
    const auto graphs = capture([this](int rank) {
      call(rank, kGather);
      call(rank, kExchange);
    });
    if (HasFailure()) return;
    fill(kExchange, round);
    launch(graphs);
    compare(kExchange, round);
    // Every other graph goes while its launch may still run.
    if (round % 2 == 0) expect_right();
  }
  expect_right();
}

TEST_F(CapturedReplay, ManyGraphsAtATime) {
  std::vector<Graphs> all;
  for (int made = 0; made < 80; ++made) {
    all.push_back(capture([this](int rank) { call(rank, kGather); }));
    if (HasFailure()) return;
  }
  for (std::uint64_t round = 0; round < 80; ++round) {
    fill(kGather, round);
    launch(all[round]);
    compare(kGather, round);
  }
  expect_right();
}

TEST_F(CapturedReplay, MemoryAndWindowsAreMadeInACapture) {
  std::vector<backend::Memory> more(kRanks);
  std::vector<comm::Window> windows(kRanks);
  const auto graphs = capture([&](int number) {
    const auto at = static_cast<std::size_t>(number);
    more[at] = rank(number).device->allocate(1 << 16);
    windows[at] = comm(number).register_window(more[at].data(), more[at].bytes());
    call(number, kExchange);
  });
  if (HasFailure()) return;
  fill(kExchange, 1);
  launch(graphs);
  compare(kExchange, 1);
  expect_right();
  for (int number = 0; number < kRanks; ++number) {
    comm(number).deregister(windows[static_cast<std::size_t>(number)]);
  }
}

TEST_F(CapturedReplay, GraphsGoBeforeTheCommunicatorOrAfter) {
  auto graphs = capture([this](int rank) { call(rank, kGather); });
  if (HasFailure()) return;
  fill(kGather, 1);
  launch(graphs);
  compare(kGather, 1);
  expect_right();
  end_communicators();
  graphs.clear();
}

}  // namespace
}  // namespace conccl
