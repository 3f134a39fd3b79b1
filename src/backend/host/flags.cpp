// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/flags.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <optional>

#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

using Clock = std::chrono::steady_clock;

// Not FUTEX_PRIVATE_FLAG: the slots may lie in memory shared between processes.
void futex_wait_until(std::atomic<std::uint32_t>& word, std::uint32_t seen,
                      Clock::time_point until) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(until.time_since_epoch());
  timespec deadline{};
  deadline.tv_sec = static_cast<std::time_t>(since.count() / 1'000'000'000);
  deadline.tv_nsec = static_cast<long>(since.count() % 1'000'000'000);
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, seen, &deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// The total order of these operations is what keeps wake-ups from being lost: a ringer that sees no
// waiter has changed the bell before that waiter reads it.
void ring(FlagSlot& slot) {
  slot.bell.fetch_add(1, std::memory_order_seq_cst);
  if (slot.waiters.load(std::memory_order_seq_cst) > 0) futex_wake_all(slot.bell);
}

class CountedWaiter {
 public:
  explicit CountedWaiter(FlagSlot& slot) : slot_(slot) {
    slot_.waiters.fetch_add(1, std::memory_order_seq_cst);
  }
  ~CountedWaiter() { slot_.waiters.fetch_sub(1, std::memory_order_seq_cst); }
  CountedWaiter(const CountedWaiter&) = delete;
  CountedWaiter& operator=(const CountedWaiter&) = delete;

 private:
  FlagSlot& slot_;
};

constexpr std::chrono::hours kLongestWait{24 * 365};

}  // namespace

HostFlags::HostFlags(int count, const void* owner) : owner_(owner) {
  if (count < 0) throw InputError(fmt::format("make_flags: {} flags, expected 0 or more", count));
  const auto slots = static_cast<std::size_t>(count) + 1;
  memory_ = std::make_unique<FlagSlot[]>(slots);
  slots_ = {memory_.get(), slots};
}

FlagSlot& HostFlags::slot(int flag) const {
  ensure(flag >= 0 && flag < size(), "flag index within its block");
  return slots_[static_cast<std::size_t>(flag) + 1];
}

void HostFlags::raise(int flag, std::uint64_t value) {
  FlagSlot& target = slot(flag);
  target.value.store(value, std::memory_order_release);
  ring(target);
}

std::uint64_t HostFlags::value(int flag) const {
  return slot(flag).value.load(std::memory_order_acquire);
}

WaitResult HostFlags::wait(int flag, std::uint64_t value, std::chrono::nanoseconds limit) {
  FlagSlot& target = slot(flag);
  const auto outcome = [&]() -> std::optional<WaitResult> {
    if (target.value.load(std::memory_order_acquire) >= value) return WaitResult::raised;
    if (poisoned()) return WaitResult::poisoned;
    return std::nullopt;
  };
  if (const auto known = outcome()) return *known;
  const auto until = Clock::now() + std::min<std::chrono::nanoseconds>(limit, kLongestWait);
  const CountedWaiter counted(target);
  for (;;) {
    const std::uint32_t seen = target.bell.load(std::memory_order_seq_cst);
    if (const auto known = outcome()) return *known;
    if (Clock::now() >= until) return WaitResult::timed_out;
    futex_wait_until(target.bell, seen, until);
  }
}

void HostFlags::poison() {
  slots_[0].value.store(1, std::memory_order_seq_cst);
  for (FlagSlot& each : slots_) ring(each);
}

bool HostFlags::poisoned() const { return slots_[0].value.load(std::memory_order_acquire) != 0; }

}  // namespace conccl::backend::host
