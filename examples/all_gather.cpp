// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// An all-gather and an all-to-all on four ranks that one thread drives.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "conccl/backend/registry.hpp"
#include "conccl/comm/communicator.hpp"

namespace {

constexpr int kRanks = 4;
constexpr std::uint64_t kCount = 1000;  // int32 elements a rank gives to each peer
constexpr std::chrono::seconds kPatience{30};

std::int32_t value(std::size_t rank, std::uint64_t element) {
  return static_cast<std::int32_t>(rank * kCount + element);
}

/// After both, `recv` of rank r holds, from every rank s, what the all-gather left in its block r.
bool right(const conccl::backend::Memory& recv, std::size_t rank) {
  const auto* found = static_cast<const std::int32_t*>(recv.data());
  for (std::uint64_t i = 0; i < kRanks * kCount; ++i) {
    if (found[i] != value(rank, i % kCount)) return false;
  }
  return true;
}

int run() {
  const auto backend = conccl::backend::open("host");  // the CPU writes and reads the buffers
  const auto devices = conccl::comm::open_devices(*backend, kRanks);
  auto comms = conccl::comm::Communicator::init_all(*backend, devices);
  std::vector<std::unique_ptr<conccl::backend::Queue>> streams;
  std::vector<conccl::backend::Memory> send;
  std::vector<conccl::backend::Memory> gathered;
  std::vector<conccl::backend::Memory> recv;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    auto& device = *devices[rank];
    streams.push_back(device.make_queue({"stream", conccl::plan::Engine::compute, {}, {}}));
    send.push_back(device.allocate(kCount * sizeof(std::int32_t)));
    gathered.push_back(device.allocate(kRanks * kCount * sizeof(std::int32_t)));
    recv.push_back(device.allocate(kRanks * kCount * sizeof(std::int32_t)));
    for (std::uint64_t i = 0; i < kCount; ++i) {
      static_cast<std::int32_t*>(send[rank].data())[i] = value(rank, i);
    }
  }

  conccl::comm::Group group;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    comms[rank].all_gather(send[rank].data(), gathered[rank].data(), kCount,
                           conccl::DataType::int32, *streams[rank]);
    comms[rank].all_to_all(gathered[rank].data(), recv[rank].data(), kCount,
                           conccl::DataType::int32, *streams[rank]);
  }
  group.end();

  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    const bool done = streams[rank]->synchronize(kPatience);
    const bool good = done && !comms[rank].async_error() && right(recv[rank], rank);
    std::printf("rank %zu: %s\n", rank, good ? "every element is right" : "WRONG");
    if (!good) return 1;
  }
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "all_gather: %s\n", error.what());
    return 1;
  }
}
