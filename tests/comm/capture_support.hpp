// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Capture`: a world whose streams can be captured into graphs.
#pragma once

#include <cstring>

#include "tests/comm/graph_queue.hpp"
#include "tests/comm/support.hpp"

namespace conccl::test {

/// What a rank sends to each peer.
inline constexpr Bytes kBlock = 3000;

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
    EXPECT_THAT(outcomes, testing::Each(""));
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

}  // namespace conccl::test
