// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// An all-gather between processes, one rank each, in C++:
//   conccl run -n 4 PROGRAM

#include <cstdint>
#include <cstdio>
#include <exception>

#include "conccl/backend/registry.hpp"
#include "conccl/comm/communicator.hpp"
#include "conccl/comm/unique_id.hpp"

namespace {

constexpr std::uint64_t kCount = 1000;  // float64 elements a rank gives to each peer
constexpr std::chrono::seconds kPatience{30};

double value(int rank, std::uint64_t element) {
  return 10.0 * rank + 0.001 * static_cast<double>(element);
}

bool right(const double* found, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    for (std::uint64_t i = 0; i < kCount; ++i) {
      if (*found++ != value(rank, i)) return false;
    }
  }
  return true;
}

int run() {
  const auto place = conccl::comm::place_from_environment();
  const auto backend = conccl::backend::open("host");  // the CPU writes and reads the buffers
  const auto device = backend->open_device(place.local_rank);
  auto comm = conccl::comm::Communicator::init_rank(
      *backend, *device, conccl::comm::unique_id_from_environment(), {place.rank, place.ranks});

  const auto stream = device->make_queue({"stream", conccl::plan::Engine::compute, {}, {}});
  const auto send = device->allocate(kCount * sizeof(double));
  const auto recv = device->allocate(static_cast<std::uint64_t>(place.ranks) * send.bytes());
  for (std::uint64_t i = 0; i < kCount; ++i) {
    static_cast<double*>(send.data())[i] = value(place.rank, i);
  }

  comm.all_gather(send.data(), recv.data(), kCount, conccl::DataType::float64, *stream);
  const bool done = stream->synchronize(kPatience);
  if (const auto failure = comm.async_error()) {
    std::fprintf(stderr, "all_gather_processes: %s\n", failure->c_str());
    return 1;
  }
  const bool good = done && right(static_cast<const double*>(recv.data()), place.ranks);
  std::printf("rank %d of %d: %s\n", place.rank, place.ranks,
              good ? "every element is right" : "WRONG");
  return good ? 0 : 1;
}

}  // namespace

int main(int, char** argv) {
  if (!conccl::comm::launched_by_environment()) {
    std::fprintf(stderr, "%s: no RANK in the environment; start it with\n  conccl run -n 4 %s\n",
                 argv[0], argv[0]);
    return 2;
  }
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
