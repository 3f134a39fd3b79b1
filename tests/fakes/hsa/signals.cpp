// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/signals.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace conccl::test::fake_hsa {
namespace {

void futex_wake(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1 << 30, nullptr, nullptr, 0);
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen, std::chrono::nanoseconds ns) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(ns);
  const timespec limit{seconds.count(), (ns - seconds).count()};
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
}

bool holds_for(hsa_signal_condition_t condition, std::int64_t value, std::int64_t compare) {
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
      return value == compare;
    case HSA_SIGNAL_CONDITION_NE:
      return value != compare;
    case HSA_SIGNAL_CONDITION_LT:
      return value < compare;
    case HSA_SIGNAL_CONDITION_GTE:
      return value >= compare;
  }
  die("hsa_signal_wait_scacquire", "unknown condition");
}

}  // namespace

std::uint64_t ticks_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  constexpr std::uint64_t kNanoseconds = 1'000'000'000 / kTicksPerSecond;
  return static_cast<std::uint64_t>(now.tv_sec) * kTicksPerSecond +
         static_cast<std::uint64_t>(now.tv_nsec) / kNanoseconds;
}

void die(const char* call, const char* what) {
  std::fprintf(stderr, "HSA double: %s: %s\n", call, what);
  std::abort();
}

void Signal::announce() {
  changes_.fetch_add(1);
  if (waiters_.load() != 0) futex_wake(changes_);
}

void Signal::store(std::int64_t value) {
  if (doorbell_.load()) {
    auto now = value_.load();
    while (now < value && !value_.compare_exchange_weak(now, value)) {
    }
  } else {
    value_.store(value);
  }
  announce();
}

std::int64_t Signal::wait(hsa_signal_condition_t condition, std::int64_t compare, Deadline until) {
  waiters_.fetch_add(1);
  std::int64_t value = 0;
  for (;;) {
    const auto seen = changes_.load();
    value = value_.load();
    if (holds_for(condition, value, compare)) break;
    const auto left = until - std::chrono::steady_clock::now();
    if (left.count() <= 0) break;
    futex_wait(changes_, seen, left);
  }
  waiters_.fetch_sub(1);
  return value;
}

void Signal::hold() {
  const std::lock_guard lock(mutex_);
  ++holds_;
}

void Signal::release() {
  const std::lock_guard lock(mutex_);
  --holds_;
}

void Signal::finish(Outcome outcome, Work work, Ticks ticks) {
  {
    // Whoever sees the new value may destroy the signal, which waits for this lock.
    const std::lock_guard lock(mutex_);
    --holds_;
    if (ticks.end != 0) ticks_[static_cast<std::size_t>(work)] = ticks;
    if (outcome == Outcome::failed) {
      value_.store(-1);
    } else {
      value_.fetch_sub(1);
    }
  }
  announce();
}

Ticks Signal::ticks(Work work) {
  const std::lock_guard lock(mutex_);
  return ticks_[static_cast<std::size_t>(work)];
}

Signal* SignalTable::at(std::uint32_t index) {
  if (index >= made_.load()) return nullptr;
  return pages_[index / kPage].load() + index % kPage;
}

hsa_signal_t SignalTable::create(std::int64_t initial, Kind kind) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    const auto made = made_.load();
    if (made == kPage * kPages) die("hsa_signal_create", "more signals than the double can hold");
    pages_[made / kPage] = new Signal[kPage];
    for (auto i = made + kPage; i > made; --i) free_.push_back(i - 1);
    made_ = made + kPage;
  }
  const auto index = free_.back();
  free_.pop_back();
  Signal& signal = *at(index);
  const std::lock_guard inner(signal.mutex_);
  signal.holds_ = 0;
  signal.ticks_ = {};
  signal.doorbell_ = kind == Kind::doorbell;
  signal.value_ = initial;
  const auto generation = signal.generation_.load() + 1;
  signal.generation_ = generation;
  return {std::uint64_t{generation} << 32U | index};
}

Signal* SignalTable::find(hsa_signal_t handle) {
  Signal* const signal = at(static_cast<std::uint32_t>(handle.handle));
  const auto generation = static_cast<std::uint32_t>(handle.handle >> 32U);
  const bool alive =
      signal != nullptr && generation % 2 == 1 && signal->generation_.load() == generation;
  return alive ? signal : nullptr;
}

Signal& SignalTable::must_find(hsa_signal_t handle, const char* call) {
  Signal* const signal = find(handle);
  if (signal == nullptr) die(call, "the signal does not exist (any more)");
  return *signal;
}

bool SignalTable::destroy(hsa_signal_t handle, const char* call) {
  const std::lock_guard lock(mutex_);
  Signal* const signal = find(handle);
  if (signal == nullptr) return false;
  const std::lock_guard inner(signal->mutex_);
  if (signal->holds_ != 0) die(call, "a copy or a kernel still uses the signal");
  signal->generation_.fetch_add(1);
  free_.push_back(static_cast<std::uint32_t>(handle.handle));
  return true;
}

void SignalTable::clear() {
  const std::lock_guard lock(mutex_);
  for (std::uint32_t i = 0; i < made_; ++i) {
    Signal& signal = *at(i);
    if (signal.generation_.load() % 2 == 0) continue;
    signal.generation_.fetch_add(1);
    free_.push_back(i);
  }
}

SignalTable& signals() {
  static auto* const table = new SignalTable;
  return *table;
}

}  // namespace conccl::test::fake_hsa
