// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Ranks whose calls do not belong together: both values are named on every rank, and nothing hangs.

#include "tests/comm/support.hpp"

namespace conccl::test {
namespace {

using plan::Collective;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

/// Three ranks with buffers of one size, ordinary or in windows (window 1: send, 2: recv).
class Mismatch : public testing::TestWithParam<bool> {
 protected:
  static constexpr Bytes kBytes = 4096;

  Mismatch() {
    for (auto& device : world_.devices) {
      send_.push_back(device->allocate(kBytes));
      recv_.push_back(device->allocate(kBytes));
    }
    if (!GetParam()) return;
    comm::Group group;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      (void)world_.comms[rank].register_window(send_[rank].data(), kBytes);
      (void)world_.comms[rank].register_window(recv_[rank].data(), kBytes);
    }
    group.end();
  }

  void gather(int rank, std::uint64_t count, DataType type = DataType::uint8) {
    world_.comm(rank).all_gather(send_[World::at(rank)].data(), recv_[World::at(rank)].data(),
                                 count, type, world_.stream(rank));
  }
  void exchange(int rank, std::uint64_t count) {
    world_.comm(rank).all_to_all(send_[World::at(rank)].data(), recv_[World::at(rank)].data(),
                                 count, DataType::uint8, world_.stream(rank));
  }

  /// Every rank learns of `text`: from its call (always with ordinary buffers) or from async_error.
  void expect_everywhere(const std::function<void(int)>& call, const auto& text) {
    const auto outcomes = on_each_rank(3, call);
    world_.synchronize();
    if (!GetParam()) {
      EXPECT_THAT(outcomes, Each(text));
    }
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_THAT(world_.comm(rank).async_error().value_or(""), text);
      EXPECT_THAT(on_each_rank(1, [&](int) { gather(rank, 1); }), Each(text)) << "a later call";
    }
  }

  World world_{3};
  std::vector<backend::Memory> send_;
  std::vector<backend::Memory> recv_;
};

TEST_P(Mismatch, Counts) {
  expect_everywhere([this](int rank) { gather(rank, rank == 1 ? 77 : 1000); },
                    AllOf(HasSubstr("count of all_gather differs"), HasSubstr("rank 1 has 77"),
                          HasSubstr("has 1000")));
}

TEST_P(Mismatch, ACountOfNothing) {
  expect_everywhere([this](int rank) { gather(rank, rank == 2 ? 0 : 8); },
                    AllOf(HasSubstr("rank 2 has 0"), HasSubstr("has 8")));
}

TEST_P(Mismatch, Types) {
  expect_everywhere(
      [this](int rank) { gather(rank, 8, rank == 0 ? DataType::float32 : DataType::int32); },
      AllOf(HasSubstr("type of all_gather differs"), HasSubstr("rank 0 has float32"),
            HasSubstr("has int32")));
}

TEST_P(Mismatch, Operations) {
  expect_everywhere([this](int rank) { rank == 2 ? exchange(rank, 8) : gather(rank, 8); },
                    AllOf(HasSubstr("operation differs"), HasSubstr("rank 2 has all_to_all"),
                          HasSubstr("has all_gather")));
}

TEST_P(Mismatch, Placements) {
  expect_everywhere(
      [this](int rank) {
        const auto index = World::at(rank);
        const void* send = rank == 1 ? recv_[index].at(8) : send_[index].data();
        world_.comm(rank).all_gather(send, recv_[index].data(), 8, DataType::uint8,
                                     world_.stream(rank));
      },
      AllOf(HasSubstr("placement of all_gather differs"), HasSubstr("rank 1 has in place"),
            HasSubstr("has out of place")));
}

TEST_P(Mismatch, PlansOfOtherCollectives) {
  const plan::RankPlan nothing;
  expect_everywhere(
      [&](int rank) {
        const plan::Request request{rank == 0 ? Collective::all_to_all : Collective::all_gather, 3,
                                    8};
        world_.comm(rank).run({&nothing,
                               request,
                               0,
                               send_[World::at(rank)].data(),
                               recv_[World::at(rank)].data(),
                               {},
                               {}},
                              world_.stream(rank));
      },
      AllOf(HasSubstr("collective of plan differs"), HasSubstr("rank 0 has all_to_all"),
            HasSubstr("has all_gather")));
}

class MismatchInWindows : public Mismatch {};

TEST_P(MismatchInWindows, OneInAWindowOneNot) {
  const auto elsewhere = world_.device(1).allocate(kBytes);
  expect_everywhere(
      [&](int rank) {
        void* recv = rank == 1 ? elsewhere.data() : recv_[World::at(rank)].data();
        world_.comm(rank).all_gather(send_[World::at(rank)].data(), recv, 8, DataType::uint8,
                                     world_.stream(rank));
      },
      AllOf(HasSubstr("recv of all_gather differs"), HasSubstr("rank 1 has an ordinary buffer"),
            HasSubstr("has window 2 offset 0")));
}

TEST_P(MismatchInWindows, WindowOffsets) {
  expect_everywhere(
      [&](int rank) {
        const auto index = World::at(rank);
        world_.comm(rank).all_gather(send_[index].at(rank == 2 ? 16 : 32), recv_[index].data(), 8,
                                     DataType::uint8, world_.stream(rank));
      },
      AllOf(HasSubstr("send of all_gather differs"), HasSubstr("rank 2 has window 1 offset 16"),
            HasSubstr("has window 1 offset 32")));
}

TEST_P(Mismatch, WindowSizes) {
  expect_everywhere(
      [&](int rank) {
        const auto& memory = send_[World::at(rank)];
        (void)world_.comm(rank).register_window(memory.data(), rank == 0 ? 100 : 200);
      },
      AllOf(HasSubstr("register_window"), HasSubstr("rank 0 has 100"), HasSubstr("has 200")));
}

INSTANTIATE_TEST_SUITE_P(All, MismatchInWindows, testing::Values(true));
INSTANTIATE_TEST_SUITE_P(Buffers, Mismatch, testing::Bool(), [](const auto& test) {
  return std::string(test.param ? "Windows" : "Ordinary");
});

}  // namespace
}  // namespace conccl::test
