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

using Clock = std::chrono::steady_clock;

// Streams compare signed differences, so it is above every value that is waited for.
constexpr std::uint64_t kPoison = std::uint64_t{1} << 62;
// No stream wakes a host thread: it looks again and again, after a while less often.
constexpr std::chrono::microseconds kSpin{100};
constexpr std::chrono::microseconds kNap{20};

/// Checked, because the memory may be what another process says it is.
std::span<CudaFlags::Slot> slots_in(const Memory& memory, int count) {
  const Bytes needed = CudaFlags::bytes_for(std::max(count, 0));
  if (count < 0 || memory.data() == nullptr || memory.bytes() < needed) {
    throw RunError(fmt::format("{} flags in {} bytes, expected at least {} bytes", count,
                               memory.bytes(), needed));
  }
  if (number_of(memory.data()) % alignof(CudaFlags::Slot) != 0) {
    throw RunError(fmt::format("flags at {}, expected a multiple of {} bytes",
                               fmt::ptr(memory.data()), alignof(CudaFlags::Slot)));
  }
  return {static_cast<CudaFlags::Slot*>(memory.data()), static_cast<std::size_t>(count) + 1};
}

}  // namespace

CudaFlags::State::State(Memory memory, int count)
    : memory_(std::move(memory)), slots_(slots_in(memory_, count)) {}

void CudaFlags::State::poison() const {
  slot(0).value = 1;
  for (Slot& each : slots_.subspan(1)) each.value = kPoison;
}

CudaFlags::CudaFlags(Memory memory, int count)
    : state_(std::make_shared<State>(std::move(memory), count)) {}

CudaFlags::Slot& CudaFlags::slot(int flag) const {
  ensure(flag >= 0 && flag < size(), "a flag's index lies in its block");
  return state_->slot(flag + 1);
}

CUdeviceptr CudaFlags::word(int flag) const { return number_of(&slot(flag).value); }

WaitResult CudaFlags::wait(int flag, std::uint64_t value, std::chrono::nanoseconds limit) {
  const Slot& wanted = slot(flag);
  const auto start = Clock::now();
  for (;;) {
    const std::uint64_t seen = wanted.value.load();
    if (poisoned())
      return seen >= value && seen < kPoison ? WaitResult::raised : WaitResult::poisoned;
    if (seen >= value) return WaitResult::raised;
    const auto waited = Clock::now() - start;
    if (waited >= limit) return WaitResult::timed_out;
    if (waited > kSpin) std::this_thread::sleep_for(kNap);
  }
}

}  // namespace conccl::backend::cuda
