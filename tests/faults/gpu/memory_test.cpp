// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Memory of every kind, in calls and in windows: used, or refused by name before any peer is told.

#include "backend/cuda/driver.hpp"
#include "conccl/core/errors.hpp"
#include "tests/faults/gpu/foreign_memory.hpp"
#include "tests/faults/gpu/pair.hpp"

namespace conccl::test {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr Bytes kBytes = 5 * kMiB;
constexpr Call kGather{plan::Collective::all_gather, 2'000'001, DataType::uint8};

Buffers buffers_over(const backend::Memory& send, const backend::Memory& recv) {
  Buffers buffers;
  buffers.send_memory = send;
  buffers.recv_memory = recv;
  buffers.send = send.data();
  buffers.recv = recv.data();
  return buffers;
}

struct Refused {
  const char* kind;
  const char* words;
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.kind; }

class RefusedMemory : public testing::TestWithParam<Refused> {};

TEST_P(RefusedMemory, IsNamedInCallsAndWindowsAndThePeerIsNotHarmed) {
  Pair pair;
  const int gpu = gpu_of(pair.device(0));
  const auto memory = foreign_memory(gpu, GetParam().kind, kBytes);
  const auto good = pair.device(0).allocate(kBytes);
  for (const bool sent : {true, false}) {
    const auto buffers = sent ? buffers_over(memory, good) : buffers_over(good, memory);
    EXPECT_THAT([&] { enqueue(pair.seat(0), buffers, kGather); },
                testing::ThrowsMessage<InputError>(testing::AllOf(
                    HasSubstr(sent ? "send " : "recv "), HasSubstr(GetParam().words))));
  }
  EXPECT_THAT([&] { (void)pair.comm(0).register_window(memory.data(), kBytes); },
              testing::ThrowsMessage<InputError>(HasSubstr(GetParam().words)));
  pair.expect_to_work(1);
}

INSTANTIATE_TEST_SUITE_P(Gpu, RefusedMemory,
                         testing::Values(Refused{"managed", "managed memory (cudaMallocManaged)"},
                                         Refused{"pinned", "page-locked memory of the host"},
                                         Refused{"registered", "page-locked memory of the host"},
                                         Refused{"pageable", "not known to CUDA"},
                                         Refused{"pool", "stream-ordered pool (cudaMallocAsync)"},
                                         Refused{"unshareable", "POSIX_FILE_DESCRIPTOR"}),
                         [](const auto& each) { return std::string(each.param.kind); });

TEST(ForeignGpu, IsNamed) {
  CONCCL_NEEDS_TWO_GPUS();
  Pair pair;
  const auto elsewhere = pair.device(1).allocate(kBytes);
  const auto here = pair.device(0).allocate(kBytes);
  EXPECT_THAT([&] { enqueue(pair.seat(0), buffers_over(elsewhere, here), kGather); },
              testing::ThrowsMessage<InputError>(HasSubstr("memory of GPU 1, expected GPU 0")));
  EXPECT_THAT([&] { (void)pair.comm(0).register_window(elsewhere.data(), kBytes); },
              testing::ThrowsMessage<InputError>(HasSubstr("memory of GPU 1, expected GPU 0")));
  pair.expect_to_work(2);
}

TEST(TooSmall, IsNamedForMemoryOfEveryMaker) {
  Pair pair;
  const int gpu = gpu_of(pair.device(0));
  for (const char* kind : {"malloc", "pieces"}) {
    const auto memory = foreign_memory(gpu, kind, 4 * kMiB);
    EXPECT_THAT([&] { (void)pair.comm(0).register_window(memory.data(), 64 * kMiB); },
                testing::ThrowsMessage<InputError>(HasSubstr("too small")))
        << kind;
  }
  pair.expect_to_work(3);
}

class FreedMemory : public testing::TestWithParam<const char*> {};

TEST_P(FreedMemory, InACallIsNamedAndWhatTakesItsPlaceIsUsed) {
  Pair pair;
  for (std::uint64_t round = 0; round < 4; ++round) {
    Buffers last;
    const auto errors = pair.on_both([&](int rank) {
      const int gpu = gpu_of(pair.device(rank));
      auto buffers = buffers_over(foreign_memory(gpu, GetParam(), kBytes),
                                  foreign_memory(gpu, GetParam(), kBytes));
      make_checked(pair.seat(rank), buffers, kGather, round);
      if (rank == 0) last = std::move(buffers);
    });
    EXPECT_THAT(errors, Each(""));
    last.free();
    EXPECT_THAT([&] { enqueue(pair.seat(0), last, kGather); }, testing::Throws<InputError>());
  }
}

TEST_P(FreedMemory, InAWindowIsNamedUntilItIsRegisteredAgain) {
  Pair pair;
  std::array<backend::Memory, 2> memory;
  std::array<comm::Window, 2> windows;
  const auto prepare = [&](int rank) {
    const auto at = static_cast<std::size_t>(rank);
    memory[at] = foreign_memory(gpu_of(pair.device(rank)), GetParam(), kBytes);
    windows[at] = pair.comm(rank).register_window(memory[at].data(), kBytes);
  };
  const auto in_place = [&](int rank) {
    auto* data = memory[static_cast<std::size_t>(rank)].at(0);
    pair.comm(rank).all_gather(data + static_cast<std::ptrdiff_t>(rank) * 1000, data, 1000,
                               DataType::uint8, pair.seat(rank).stream);
    synchronize(pair.seat(rank));
  };
  ASSERT_THAT(pair.on_both(prepare), Each(""));
  ASSERT_THAT(pair.on_both(in_place), Each(""));
  const void* const old = memory[0].data();
  memory[0] = {};
  memory[0] = foreign_memory(gpu_of(pair.device(0)), GetParam(), kBytes);
  if (memory[0].data() == old) {
    EXPECT_THAT([&] { in_place(0); },
                testing::ThrowsMessage<InputError>(HasSubstr("freed since it was registered")));
  }
  for (const int rank : {0, 1}) pair.comm(rank).deregister(windows[static_cast<std::size_t>(rank)]);
  ASSERT_THAT(pair.on_both(prepare), Each(""));
  EXPECT_THAT(pair.on_both(in_place), Each(""));
}

INSTANTIATE_TEST_SUITE_P(Gpu, FreedMemory, testing::Values("malloc", "pieces"),
                         [](const auto& each) { return std::string(each.param); });

TEST(Pool, IsUsedBetweenRanksOfOneProcess) {
  const auto backend = backend::open_cuda();
  const auto devices = comm::open_devices(*backend, 2);
  auto comms = comm::Communicator::init_all(*backend, devices);
  std::array<std::unique_ptr<backend::Queue>, 2> streams;
  std::array<Buffers, 2> buffers;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const int gpu = gpu_of(*devices[rank]);
    streams[rank] = devices[rank]->make_queue({"stream", plan::Engine::compute, {}, {}});
    buffers[rank] =
        buffers_over(foreign_memory(gpu, "malloc", kBytes), foreign_memory(gpu, "malloc", kBytes));
  }
  buffers[0].send_memory = foreign_memory(gpu_of(*devices[0]), "pool", kBytes);
  buffers[0].send = buffers[0].send_memory.data();
  comm::Group group;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    enqueue({comms[rank], *streams[rank]}, buffers[rank], kGather);
  }
  group.end();
  for (std::size_t rank = 0; rank < 2; ++rank) synchronize({comms[rank], *streams[rank]});
}

}  // namespace
}  // namespace conccl::test
