// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A few ranks on the host backend, and collectives on them whose every byte is checked.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conccl/backend/registry.hpp"
#include "conccl/comm/communicator.hpp"

namespace conccl::test {

using namespace std::chrono_literals;

/// Long enough for any collective of these tests on a loaded machine under a sanitizer.
inline constexpr std::chrono::milliseconds kPatience = 60s;

/// Whether this program's communicators are made by `init_rank`, as between processes, each rank in
/// a thread of its own; otherwise by `init_all`. Every test here holds for both.
[[nodiscard]] bool ranks_join_one_by_one();

/// Ranks 0 .. ranks - 1 of one process, a stream each.
struct World {
  explicit World(int ranks, const comm::Options& options = patient());

  [[nodiscard]] static comm::Options patient();
  [[nodiscard]] static comm::Options with_deadline(std::chrono::milliseconds deadline);

  [[nodiscard]] int ranks() const { return static_cast<int>(devices.size()); }
  [[nodiscard]] backend::Device& device(int rank) { return *devices[at(rank)]; }
  [[nodiscard]] backend::Queue& stream(int rank) { return *streams[at(rank)]; }
  [[nodiscard]] comm::Communicator& comm(int rank) { return comms[at(rank)]; }

  [[nodiscard]] std::vector<comm::Communicator> more_communicators(const comm::Options& options);
  [[nodiscard]] std::unique_ptr<backend::Queue> more_stream(int rank);
  /// Fails the test when a stream does not come to its end.
  void synchronize();

  [[nodiscard]] static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  std::unique_ptr<backend::Backend> backend;
  std::vector<std::unique_ptr<backend::Device>> devices;
  std::vector<std::unique_ptr<backend::Queue>> streams;
  std::vector<comm::Communicator> comms;
};

/// What each rank's call threw; empty: it returned.
using Outcomes = std::vector<std::string>;

/// Runs `call(rank)` on one thread per rank and returns the messages of the RunErrors; any other
/// exception fails the test.
Outcomes on_each_rank(int ranks, const std::function<void(int)>& call);

/// One collective to be made.
struct Trial {
  plan::Collective collective = plan::Collective::all_gather;
  std::uint64_t count = 0;
  DataType type = DataType::uint8;
  plan::Placement placement = plan::Placement::out_of_place;
  Bytes skew = 0;         ///< buffers begin so many bytes into their allocation
  bool windowed = false;  ///< buffers lie in windows
};

/// Buffers of every rank for one collective: random send bytes, poisoned recv bytes, guards around
/// both.
class Exchange {
 public:
  /// `comms` and `world` must outlive it. Registers the windows of all ranks when asked to.
  Exchange(World& world, std::vector<comm::Communicator>& comms, const Trial& trial,
           std::uint64_t seed);
  Exchange(World& world, const Trial& trial, std::uint64_t seed)
      : Exchange(world, world.comms, trial, seed) {}

  /// Enqueues `rank`'s call.
  void call(int rank, backend::Queue& stream);
  void call(int rank) { call(rank, world_.stream(rank)); }
  /// Enqueues every rank's call from this thread.
  void call_all();

  /// Once the streams have passed the calls: every byte of recv from the right place, send
  /// unchanged, guards whole.
  [[nodiscard]] testing::AssertionResult right() const;

  [[nodiscard]] std::byte* send(int rank);
  [[nodiscard]] std::byte* recv(int rank);

 private:
  [[nodiscard]] testing::AssertionResult rank_right(int rank) const;
  [[nodiscard]] std::vector<std::byte> expected(int rank) const;
  void register_windows();

  World& world_;
  std::vector<comm::Communicator>& comms_;
  Trial trial_;
  plan::Request request_;
  std::vector<backend::Memory> send_;
  std::vector<backend::Memory> recv_;
  std::vector<std::vector<std::byte>> sent_;  ///< what every rank contributes
};

}  // namespace conccl::test
