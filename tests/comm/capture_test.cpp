// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Collectives in graphs, on queues that record and replay: what communicators do about it. That
// devices' own graphs do as these is tested on the devices.

#include <algorithm>
#include <cstring>
#include <optional>

#include "conccl/core/errors.hpp"
#include "tests/comm/graph_queue.hpp"
#include "tests/comm/support.hpp"

namespace conccl {
namespace {

using namespace conccl::test;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

constexpr Bytes kBlock = 3000;

/// Ranks with a stream each that can be captured, and windows for send and recv.
class Capture : public testing::Test {
 protected:
  explicit Capture(int ranks = 3, const comm::Options& options = World::patient())
      : world_(ranks, options) {
    for (int rank = 0; rank < ranks; ++rank) {
      streams_.push_back(std::make_unique<GraphQueue>(world_.more_stream(rank)));
      send_.push_back(world_.device(rank).allocate(bytes()));
      recv_.push_back(world_.device(rank).allocate(bytes()));
    }
    comm::Group group;
    for (int rank = 0; rank < ranks; ++rank) {
      windows_.push_back(world_.comm(rank).register_window(send(rank), bytes()));
      static_cast<void>(world_.comm(rank).register_window(recv(rank), bytes()));
    }
    group.end();
  }

  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] int ranks() const { return world_.ranks(); }
  [[nodiscard]] Bytes bytes() const { return static_cast<Bytes>(ranks()) * kBlock; }
  [[nodiscard]] std::byte* send(int rank) { return send_[World::at(rank)].at(0); }
  [[nodiscard]] std::byte* recv(int rank) { return recv_[World::at(rank)].at(0); }
  [[nodiscard]] GraphQueue& stream(int rank) { return *streams_[World::at(rank)]; }
  [[nodiscard]] comm::Window send_window(int rank) { return windows_[World::at(rank)]; }

  void all_to_all(int rank, Bytes block = kBlock) {
    world_.comm(rank).all_to_all(send(rank), recv(rank), block, DataType::uint8, stream(rank));
  }
  void all_gather(int rank) {
    world_.comm(rank).all_gather(send(rank), recv(rank), kBlock, DataType::uint8, stream(rank));
  }

  /// What every rank's `calls` come to, each captured by a thread of its own.
  std::vector<Graph> capture(const std::function<void(int)>& calls) {
    std::vector<Graph> graphs(World::at(ranks()));
    const auto outcomes = on_each_rank(ranks(), [&](int rank) {
      stream(rank).begin();
      calls(rank);
      graphs[World::at(rank)] = stream(rank).end();
    });
    EXPECT_THAT(outcomes, Each(""));
    return graphs;
  }

  void launch(const std::vector<Graph>& graphs) {
    for (int rank = 0; rank < ranks(); ++rank) stream(rank).launch(graphs[World::at(rank)]);
  }

  void synchronize() {
    for (auto& stream : streams_) ASSERT_TRUE(stream->synchronize(kPatience));
  }

  /// Every rank's send gets bytes of this round, recv is poisoned. Streams must be idle.
  void fill(int round) {
    for (int rank = 0; rank < ranks(); ++rank) {
      for (Bytes at = 0; at < bytes(); ++at) send(rank)[at] = value(rank, at, round);
      std::memset(recv(rank), 0xDB, bytes());
    }
  }

  void expect_gathered(int round) {
    expect([&](int from, int /*to*/, Bytes at) { return value(from, at, round); });
  }
  void expect_exchanged(int round) {
    expect([&](int from, int to, Bytes at) {
      return value(from, static_cast<Bytes>(to) * kBlock + at, round);
    });
  }

 private:
  static std::byte value(int rank, Bytes at, int round) {
    return static_cast<std::byte>(at * 7 + static_cast<Bytes>(rank) * 31 +
                                  static_cast<Bytes>(round) * 101);
  }

  template <typename Expected>
  void expect(Expected expected) {
    synchronize();
    for (int to = 0; to < ranks(); ++to) {
      for (int from = 0; from < ranks(); ++from) {
        for (Bytes at = 0; at < kBlock; ++at) {
          ASSERT_EQ(recv(to)[static_cast<Bytes>(from) * kBlock + at], expected(from, to, at))
              << "rank " << to << " from " << from << " at " << at;
        }
      }
    }
  }

  World world_;
  std::vector<backend::Memory> send_;
  std::vector<backend::Memory> recv_;
  std::vector<comm::Window> windows_;
  std::vector<std::unique_ptr<GraphQueue>> streams_;
};

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

void expect_refused(const std::function<void()>& call, const std::string& why) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << why;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST_F(Capture, OrdinaryBuffersAreRefused) {
  const auto ordinary = world().device(0).allocate(bytes());
  auto& comm = world().comm(0);
  stream(0).begin();
  expect_refused(
      [&] { comm.all_to_all(send(0), ordinary.data(), kBlock, DataType::uint8, stream(0)); },
      "all_to_all: its stream is being captured, and recv is an ordinary buffer");
  expect_refused(
      [&] { comm.all_gather(ordinary.data(), recv(0), kBlock, DataType::uint8, stream(0)); },
      "all_gather: its stream is being captured, and send is an ordinary buffer");
  static_cast<void>(stream(0).end());
  EXPECT_EQ(comm.async_error(), std::nullopt);
  fill(1);
  EXPECT_THAT(on_each_rank(ranks(), [&](int rank) { all_to_all(rank); }), Each(""));
  expect_exchanged(1);
}

TEST_F(Capture, APlanOfTheCallerIsRefused) {
  const plan::Request request{plan::Collective::all_to_all, ranks(), kBlock,
                              plan::Placement::out_of_place};
  const auto lanes = plan::build_rank(request, {}, 0);
  comm::PlanCall call;
  call.lanes = &lanes;
  call.request = request;
  call.flags = 2 * ranks();
  call.send = send(0);
  call.recv = recv(0);
  stream(0).begin();
  expect_refused([&] { world().comm(0).run(call, stream(0)); }, "a plan of the caller's cannot be");
}

TEST_F(Capture, ThatHasFailedIsRefused) {
  stream(0).begin();
  stream(0).fail();
  expect_refused([&] { all_to_all(0); }, "the capture of its stream has failed before");
  EXPECT_EQ(world().comm(0).async_error(), std::nullopt);
}

TEST_F(Capture, CallsThatDifferAreNamed) {
  const auto outcomes = on_each_rank(ranks(), [&](int rank) {
    stream(rank).begin();
    all_to_all(rank, rank == 1 ? kBlock / 2 : kBlock);
  });
  EXPECT_THAT(outcomes, Each(AllOf(HasSubstr("count of all_to_all differs between ranks"),
                                   HasSubstr("rank 1 has 1500"))));
}

class HastyCapture : public Capture {
 protected:
  HastyCapture() : Capture(2, World::with_deadline(200ms)) {}
};

TEST_F(HastyCapture, ARankThatDoesNotCaptureIsNamed) {
  stream(0).begin();
  try {
    all_to_all(0);
    ADD_FAILURE() << "not refused";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 1 did not make call"),
                                    HasSubstr("(captured call) within 200 ms")));
  }
}

TEST_F(HastyCapture, AFailureEndsEveryReplay) {
  const auto graphs = capture([&](int rank) { all_to_all(rank); });
  for (int launched = 0; launched < 5; ++launched) stream(0).launch(graphs[0]);
  EXPECT_FALSE(stream(0).synchronize(20ms));
  world().comm(1).abort("enough");
  EXPECT_TRUE(stream(0).synchronize(kPatience));
  stream(0).launch(graphs[0]);
  EXPECT_TRUE(stream(0).synchronize(kPatience));
  stream(0).begin();
  try {
    all_to_all(0);
    ADD_FAILURE() << "not refused";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("aborted by rank 1: enough"));
  }
}

TEST_F(HastyCapture, GraphsMayOutliveTheCommunicator) {
  auto graphs = capture([&](int rank) { all_to_all(rank); });
  fill(4);
  launch(graphs);
  expect_exchanged(4);
  world().comms.clear();
  graphs.clear();
}

}  // namespace
}  // namespace conccl
