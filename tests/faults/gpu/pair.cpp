// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/faults/gpu/pair.hpp"

#include <thread>
#include <vector>

#include "backend/cuda/facts.hpp"
#include "conccl/comm/unique_id.hpp"

namespace conccl::test {

Pair::Pair(std::chrono::milliseconds deadline) : backend_(backend::open_cuda()) {
  for (int rank = 0; rank < 2; ++rank) {
    auto& self = ranks_[at(rank)];
    self.device = backend_->open_device(rank);
    self.stream = self.device->make_queue({"stream", plan::Engine::compute, {}, {}});
  }
  const auto id = comm::make_unique_id();
  comm::Options options;
  options.deadline = deadline;
  const auto errors = on_both([&](int rank) {
    auto joined = comm::Communicator::init_rank(*backend_, device(rank), id, {rank, 2}, options);
    ranks_[at(rank)].comm = std::make_unique<comm::Communicator>(std::move(joined));
  });
  for (const auto& error : errors) {
    if (!error.empty()) throw std::runtime_error(error);
  }
}

Errors Pair::on_both(const std::function<void(int)>& what) {
  Errors errors;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        what(rank);
      } catch (const std::exception& error) {
        errors[at(rank)] = error.what();
      }
    });
  }
  threads.clear();
  return errors;
}

void Pair::expect_to_work(std::uint64_t round) {
  const auto errors = on_both([&](int rank) {
    const Buffers buffers(device(rank), 4 * kMiB);
    make_checked(seat(rank), buffers, {plan::Collective::all_gather, 1'000'003, DataType::uint8},
                 round);
  });
  EXPECT_THAT(errors, testing::Each(""));
}

int gpus_here() { return backend::cuda::gpu_count(); }

}  // namespace conccl::test
