// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/host_flags.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <ctime>
#include <limits>
#include <utility>

#include "conccl/core/errors.hpp"

namespace conccl::backend {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSleeper = 1;
constexpr std::uint64_t kLargestValue = std::numeric_limits<std::uint64_t>::max() >> 1;
static_assert(std::endian::native == std::endian::little, "futexes sleep on the low half");

std::uint64_t value_in(std::uint64_t word) { return word >> 1; }
std::uint64_t word_of(std::uint64_t value) { return std::min(value, kLargestValue) << 1; }

// Not FUTEX_PRIVATE_FLAG: the slots may lie in memory shared between processes.
void futex_wait_until(FlagSlot& slot, std::uint64_t seen, Clock::time_point until) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(until.time_since_epoch());
  timespec deadline{};
  deadline.tv_sec = static_cast<std::time_t>(since.count() / 1'000'000'000);
  deadline.tv_nsec = static_cast<long>(since.count() % 1'000'000'000);
  syscall(SYS_futex, &slot.word, FUTEX_WAIT_BITSET, static_cast<std::uint32_t>(seen), &deadline,
          nullptr, FUTEX_BITSET_MATCH_ANY);
}

// Uses the address only: the slot may be gone.
void futex_wake_all(FlagSlot& slot) {
  syscall(SYS_futex, &slot.word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

constexpr std::chrono::hours kLongestWait{24 * 365};

/// Checked, because the memory may be what another process says it is. Slots are not constructed
/// here: others may use them already.
std::span<FlagSlot> slots_in(const Memory& memory, int count) {
  if (count < 0) throw InputError(fmt::format("flags: {} of them, expected 0 or more", count));
  if (memory.bytes() < HostFlags::bytes_for(count)) {
    throw RunError(fmt::format("{} flags: {} bytes of memory, expected at least {}", count,
                               memory.bytes(), HostFlags::bytes_for(count)));
  }
  if (reinterpret_cast<std::uintptr_t>(memory.data()) % alignof(FlagSlot) != 0) {
    throw RunError(fmt::format("{} flags at {}, expected a multiple of {} bytes", count,
                               fmt::ptr(memory.data()), alignof(FlagSlot)));
  }
  return {static_cast<FlagSlot*>(memory.data()), static_cast<std::size_t>(count) + 1};
}

}  // namespace

HostFlags::HostFlags(Memory memory, int count, const void* owner)
    : memory_(std::move(memory)), slots_(slots_in(memory_, count)), owner_(owner) {}

FlagSlot& HostFlags::slot(int flag) const {
  ensure(flag >= 0 && flag < size(), "flag index within its block");
  return slots_[static_cast<std::size_t>(flag) + 1];
}

void HostFlags::raise(int flag, std::uint64_t value) {
  FlagSlot& target = slot(flag);
  // In one order with `value`: of two threads that raise and then look, one sees the other's.
  const std::uint64_t before = target.word.exchange(word_of(value), std::memory_order_seq_cst);
  if ((before & kSleeper) != 0) futex_wake_all(target);
}

std::uint64_t HostFlags::value(int flag) const {
  return value_in(slot(flag).word.load(std::memory_order_seq_cst));
}

WaitResult HostFlags::wait(int flag, std::uint64_t value, std::chrono::nanoseconds limit) {
  FlagSlot& target = slot(flag);
  const std::uint64_t wanted = std::min(value, kLargestValue);
  if (value_in(target.word.load(std::memory_order_acquire)) >= wanted) return WaitResult::raised;
  const auto until = Clock::now() + std::min<std::chrono::nanoseconds>(limit, kLongestWait);
  for (;;) {
    // The mark comes before the look at the poison, and poison clears it after: no sleep is missed.
    const std::uint64_t seen = target.word.fetch_or(kSleeper, std::memory_order_seq_cst);
    if (value_in(seen) >= wanted) return WaitResult::raised;
    if (poisoned()) {
      // The mark set above would let another waiter, woken by the poison, fall asleep again.
      target.word.fetch_and(~kSleeper, std::memory_order_seq_cst);
      futex_wake_all(target);
      return WaitResult::poisoned;
    }
    if (Clock::now() >= until) return WaitResult::timed_out;
    futex_wait_until(target, seen | kSleeper, until);
  }
}

void HostFlags::poison() {
  slots_[0].word.store(word_of(1), std::memory_order_seq_cst);
  for (FlagSlot& each : slots_.subspan(1)) {
    each.word.fetch_and(~kSleeper, std::memory_order_seq_cst);
    // Marked or not: a process killed within `raise` has cleared the mark and woken nobody.
    futex_wake_all(each);
  }
}

bool HostFlags::poisoned() const { return slots_[0].word.load(std::memory_order_seq_cst) != 0; }

}  // namespace conccl::backend
