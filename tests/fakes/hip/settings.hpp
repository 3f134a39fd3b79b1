// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the doubles are told to be and to do wrong, and what they count; control.hpp says what each
/// is.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace conccl::test::fake_hip {

/// Of the process. Any thread.
class Settings {
 public:
  /// Empty, or what is wrong.
  std::string set(std::string_view name, std::string_view value);
  /// What CONCCL_FAKE_HIP says, where `set` was told nothing. Empty, or what is wrong.
  std::string read_variable();
  void reset();

  /// Empty: all.
  [[nodiscard]] std::vector<int> order();
  [[nodiscard]] std::int64_t capturing() const { return capturing_.load(); }
  /// Counts a call of this name; whether it is to fail.
  bool strikes(std::string_view call);
  /// Counts an operation; whether it never ends.
  bool hangs();
  /// Changes with every reset, which ends what hangs.
  [[nodiscard]] std::uint64_t generation() const { return generation_.load(); }

 private:
  std::string set_locked(std::string_view name, std::string_view value);

  std::mutex mutex_;
  bool told_ = false;
  std::vector<int> order_;
  std::string fail_;
  std::int64_t fail_at_ = 0;  ///< counts down to the call that fails; 0: all do
  std::int64_t hang_at_ = 0;  ///< counts down likewise; 0: none
  std::atomic<std::int64_t> capturing_{0};
  std::atomic<std::uint64_t> generation_{0};
};
[[nodiscard]] Settings& settings();

struct Counters {
  std::atomic<std::int64_t> streams{0};
  std::atomic<std::int64_t> events{0};
  std::atomic<std::int64_t> words{0};
  std::atomic<std::int64_t> launches{0};
  std::atomic<std::int64_t> units{0};
  std::atomic<std::int64_t> priority{0};
  std::atomic<std::int64_t> unfenced_writes{0};
  std::atomic<std::int64_t> unfenced_reads{0};
};
[[nodiscard]] Counters& counters();

}  // namespace conccl::test::fake_hip
