// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Delays`: random pauses of a rank's thread and of its streams.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "conccl/backend/device.hpp"
#include "tests/soak/random.hpp"

namespace conccl::soak {

/// A stream's pause is a wait for a flag that a thread of this object raises when it is over. That
/// thread is why a rank whose own thread blocks still lets its streams, and so its peers, go on.
class Delays {
 public:
  /// `device` must outlive it, and it the streams' work.
  Delays(backend::Device& device, int streams, Random random);

  /// Sometimes sleeps.
  void pause_here();
  /// Sometimes lets the stream wait; the caller submits it.
  void pause_stream(int stream, backend::Queue& queue);

 private:
  using Clock = std::chrono::steady_clock;
  struct Due {
    int stream = 0;
    std::uint64_t value = 0;
  };
  struct Last {
    std::uint64_t value = 0;
    Clock::time_point when;
  };

  [[nodiscard]] std::chrono::microseconds draw();
  void raise_when_due(const std::stop_token& stop);

  Random random_;
  std::unique_ptr<backend::FlagBlock> flags_;
  std::vector<Last> last_;  ///< by stream
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::multimap<Clock::time_point, Due> due_;
  std::jthread thread_;  ///< last: it uses all of the above
};

}  // namespace conccl::soak
