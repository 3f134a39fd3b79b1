// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Watchdog`: the thread of a communicator that listens to links and looks at the clock.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "comm/link.hpp"

namespace conccl::comm {

/// Called on the watchdog's thread; they must not throw.
struct WatchdogHooks {
  std::function<void(int rank, Delivery)> message;
  std::function<void(int rank, const std::string& why)> end;  ///< empty: the peer closed its end
  std::function<void()> period;
};

class Watchdog {
 public:
  /// Receives on `links` (by rank; closed ones are skipped), which must outlive it, and calls
  /// `period` at least that often.
  Watchdog(std::span<Link> links, std::chrono::milliseconds period, WatchdogHooks hooks);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void run();
  void listen(int rank);

  std::span<Link> links_;
  std::vector<bool> ended_;  ///< by rank: nothing more comes
  std::chrono::milliseconds period_;
  WatchdogHooks hooks_;
  FileDescriptor stop_;  ///< eventfd
  std::thread thread_;
};

}  // namespace conccl::comm
