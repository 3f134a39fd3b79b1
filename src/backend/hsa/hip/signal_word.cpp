// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/signal_word.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::hip {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr Bytes kWord = 8;  // all that HIP gives of signal memory at a time
constexpr std::chrono::microseconds kSpinTime{200};
constexpr std::chrono::microseconds kNapTime{20};
constexpr std::chrono::hours kLongest{24 * 365};

std::atomic_ref<std::uint64_t> word_at(const Memory& memory) {
  return std::atomic_ref(*static_cast<std::uint64_t*>(memory.data()));
}

}  // namespace

void SignalWord::raise(int flag, std::uint64_t value) {
  ensure(flag == 0, "flag index within its block");
  const auto word = word_at(memory_);
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  while (seen < value && !word.compare_exchange_weak(seen, value, std::memory_order_acq_rel)) {
  }
}

std::uint64_t SignalWord::value(int flag) const {
  ensure(flag == 0, "flag index within its block");
  return word_at(memory_).load(std::memory_order_acquire);
}

WaitResult SignalWord::wait(int flag, std::uint64_t value, std::chrono::nanoseconds limit) {
  const auto start = SteadyClock::now();
  const auto until = start + std::min<std::chrono::nanoseconds>(limit, kLongest);
  for (;;) {
    if (this->value(flag) >= value) return WaitResult::raised;
    if (poisoned()) return WaitResult::poisoned;
    const auto now = SteadyClock::now();
    if (now >= until) return WaitResult::timed_out;
    if (now - start > kSpinTime) std::this_thread::sleep_for(kNapTime);
  }
}

WordPairs& WordPairs::of_process() {
  static auto* const instance = new WordPairs;
  return *instance;
}

Memory WordPairs::make(const HipCalls& calls, int gpu) {
  void* address = nullptr;
  check(calls, calls.hipExtMallocWithFlags(&address, kWord, abi::hipMallocSignalMemory),
        {"hipExtMallocWithFlags of signal memory", gpu, kWord});
  all_.emplace_back(std::shared_ptr<void>(address, [](void*) {}), kWord);
  // HIP does not say what it holds.
  word_at(all_.back()).store(0, std::memory_order_release);
  return all_.back();
}

WordPair WordPairs::take(const HipCalls& calls, int ordinal, int gpu) {
  const std::lock_guard lock(mutex_);
  auto& idle = idle_[ordinal];
  if (idle.empty()) return {make(calls, gpu), make(calls, gpu)};
  WordPair words = std::move(idle.back());
  idle.pop_back();
  return words;
}

void WordPairs::give_back(int ordinal, WordPair words) {
  const std::lock_guard lock(mutex_);
  idle_[ordinal].push_back(std::move(words));
}

}  // namespace conccl::backend::hsa::hip
