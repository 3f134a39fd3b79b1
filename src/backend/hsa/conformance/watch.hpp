// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Keeps the program from hanging: signals that end it, and a limit for calls that do not return.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace conccl::backend::hsa::conformance {

/// Made before any other thread, since it blocks SIGINT and SIGTERM and takes them in its own.
class Watch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Watch(std::chrono::seconds limit);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Called in the watching thread when nothing has moved for the limit, with what was being done;
  /// then the process ends, with `exit_code`. A call of the library hangs, so nothing is undone.
  void on_hang(std::function<int()> report);

  /// Something moved.
  void touch();
  /// The same. Throws Stopped when the user has ended the program.
  void beat();
  [[nodiscard]] bool stopped() const { return stopped_.load(); }

 private:
  void watch();
  [[nodiscard]] bool late() const;

  std::chrono::seconds limit_;
  sigset_t signals_{};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> ended_{false};
  std::atomic<Clock::rep> last_;
  std::function<int()> report_;  ///< set before `watched_`
  std::atomic<bool> watched_{false};
  std::thread thread_;
};

}  // namespace conccl::backend::hsa::conformance
