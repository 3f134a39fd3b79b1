// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Signals: their memory is never given back, so that a late use of one is noticed, not undefined.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "backend/hsa/calls.hpp"

namespace conccl::test::fake_hsa {

namespace abi = backend::hsa::abi;
using namespace abi;  // NOLINT(google-build-using-namespace): the names this library defines

inline constexpr std::uint64_t kTicksPerSecond = 100'000'000;
[[nodiscard]] std::uint64_t ticks_now();

/// Prints what the caller did that would corrupt memory under the real runtime, and aborts.
[[noreturn]] void die(const char* call, const char* what);

struct Ticks {
  std::uint64_t start = 0;
  std::uint64_t end = 0;  ///< 0: none yet
};

enum class Outcome { done, failed, lost };  ///< lost: `finish` does not come
enum class Work { copy, kernel };

class Signal {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  [[nodiscard]] std::int64_t load() const { return value_.load(); }
  void store(std::int64_t value);
  /// The last value seen, which need not satisfy the condition.
  std::int64_t wait(hsa_signal_condition_t condition, std::int64_t compare, Deadline until);

  /// Between the two it must not be destroyed.
  void hold();
  void release();
  /// Ends a hold: decrements, or stores a negative value. `ticks.end` 0: not timed.
  void finish(Outcome outcome, Work work, Ticks ticks);
  [[nodiscard]] Ticks ticks(Work work);

 private:
  friend class SignalTable;
  void announce();

  std::atomic<std::int64_t> value_{0};
  std::atomic<std::uint32_t> changes_{0};
  std::atomic<std::uint32_t> waiters_{0};
  std::atomic<std::uint32_t> generation_{0};  ///< odd: alive
  std::atomic<bool> doorbell_{false};         ///< its value only grows
  std::mutex mutex_;
  int holds_ = 0;
  std::array<Ticks, 2> ticks_;
};

class SignalTable {
 public:
  enum class Kind { plain, doorbell };

  hsa_signal_t create(std::int64_t initial, Kind kind);
  /// Dies when something still uses it; false: there is none.
  bool destroy(hsa_signal_t handle, const char* call);
  /// Null when there is none.
  [[nodiscard]] Signal* find(hsa_signal_t handle);
  /// Dies when there is none.
  [[nodiscard]] Signal& must_find(hsa_signal_t handle, const char* call);
  /// Ends all of them.
  void clear();

 private:
  static constexpr std::uint32_t kPage = 256;
  static constexpr std::uint32_t kPages = 4096;
  [[nodiscard]] Signal* at(std::uint32_t index);

  std::mutex mutex_;
  std::vector<std::uint32_t> free_;
  std::atomic<std::uint32_t> made_{0};
  std::array<std::atomic<Signal*>, kPages> pages_{};
};

[[nodiscard]] SignalTable& signals();

}  // namespace conccl::test::fake_hsa
