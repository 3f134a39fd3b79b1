// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "backend/cuda/address.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

// Waits compare as signed differences, so it is above every value that is waited for.
constexpr std::uint64_t kPoison = std::uint64_t{1} << 62;
constexpr std::chrono::microseconds kNap{20};

}  // namespace

CudaFlags::State::State(std::shared_ptr<Gpu> gpu, Memory memory, int count)
    : gpu_(std::move(gpu)), memory_(std::move(memory)), count_(count) {
  if (count < 0 || memory_.data() == nullptr || memory_.bytes() < bytes_for(count)) {
    throw RunError(fmt::format("{} flags in {} bytes, expected at least {} bytes", count,
                               memory_.bytes(), bytes_for(std::max(count, 0))));
  }
}

CUdeviceptr CudaFlags::State::word(int index) const {
  return number_of(memory_.at(static_cast<Bytes>(index) * kStride));
}

std::uint64_t CudaFlags::State::read(int index) const { return gpu_->side().read(word(index)); }

void CudaFlags::State::write(int index, std::uint64_t value) const {
  gpu_->side().write(word(index), value);
}

void CudaFlags::State::poison() {
  poisoned_ = true;
  gpu_->side().write_all(word(0), count_ + 1, kStride, kPoison);
}

bool CudaFlags::State::poisoned() {
  if (!poisoned_ && read(0) != 0) poisoned_ = true;
  return poisoned_;
}

CudaFlags::CudaFlags(std::shared_ptr<Gpu> gpu, Memory memory, int count)
    : state_(std::make_shared<State>(std::move(gpu), std::move(memory), count)) {}

int CudaFlags::slot(int flag) const {
  ensure(flag >= 0 && flag < size(), "a flag's index lies in its block");
  return flag + 1;
}

WaitResult CudaFlags::wait(int flag, std::uint64_t value, std::chrono::nanoseconds limit) {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const std::uint64_t seen = state_->read(slot(flag));
    if (poisoned()) return WaitResult::poisoned;
    if (seen >= value) return WaitResult::raised;
    if (std::chrono::steady_clock::now() - start >= limit) return WaitResult::timed_out;
    std::this_thread::sleep_for(kNap);
  }
}

}  // namespace conccl::backend::cuda
