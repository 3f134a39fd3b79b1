// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Pair`: two ranks that have joined as ranks of different processes do, on threads of this one.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>

#include "conccl/backend/cuda.hpp"
#include "tests/faults/rank/checked_call.hpp"

namespace conccl::test {

/// What each rank's thread threw; empty: nothing.
using Errors = std::array<std::string, 2>;

class Pair {
 public:
  explicit Pair(std::chrono::milliseconds deadline = std::chrono::seconds(20));

  [[nodiscard]] backend::Backend& backend() { return *backend_; }
  [[nodiscard]] backend::Device& device(int rank) { return *ranks_[at(rank)].device; }
  [[nodiscard]] Seat seat(int rank) { return {*ranks_[at(rank)].comm, *ranks_[at(rank)].stream}; }
  [[nodiscard]] comm::Communicator& comm(int rank) { return *ranks_[at(rank)].comm; }

  /// `what(rank)` on a thread per rank.
  Errors on_both(const std::function<void(int)>& what);
  /// Fails the test unless a checked all-gather of memory of the devices works.
  void expect_to_work(std::uint64_t round);

 private:
  struct Rank {
    std::unique_ptr<backend::Device> device;
    std::unique_ptr<backend::Queue> stream;
    std::unique_ptr<comm::Communicator> comm;
  };
  [[nodiscard]] static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  std::unique_ptr<backend::Backend> backend_;
  std::array<Rank, 2> ranks_;
};

/// Skips the test on a machine with one GPU.
#define CONCCL_NEEDS_TWO_GPUS() \
  if (conccl::test::gpus_here() < 2) GTEST_SKIP() << "needs two GPUs"
[[nodiscard]] int gpus_here();

}  // namespace conccl::test
