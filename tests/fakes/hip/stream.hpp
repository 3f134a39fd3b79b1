// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Streams: a thread each, which runs its operations in order. The legacy default stream of a
/// device is one like the others; it does not keep their order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "tests/fakes/hip/exports.hpp"

struct ihipEvent_t {
  unsigned flags = 0;
};

/// HIP's name for what a stream's handle points to.
struct ihipStream_t {
 public:
  using Operation = std::function<void()>;

  explicit ihipStream_t(int device);
  /// What has not ended is dropped.
  ~ihipStream_t();
  ihipStream_t(const ihipStream_t&) = delete;
  ihipStream_t& operator=(const ihipStream_t&) = delete;

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] bool idle();

  void launch(Operation work);
  void write(std::uint64_t* word, std::uint64_t value);
  /// Until the word, masked, is at least `value`.
  void wait(std::uint64_t* word, std::uint64_t value, std::uint64_t mask);
  /// Fences both ways at system scope if the event's flags say so.
  void record(unsigned event_flags);

 private:
  void put(Operation operation);
  void hang(std::uint64_t generation) const;
  void serve();

  int device_;
  bool released_ = true;  ///< what ran has been released to the system; the thread's own
  bool acquired_ = true;  ///< nothing was waited for since the last acquire; the thread's own
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Operation> operations_;
  bool running_ = false;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

namespace conccl::test::fake_hip {

/// Null stands for the default stream of the calling thread's device. Null: there is no such
/// stream.
[[nodiscard]] hipStream_t find_stream(hipStream_t handle);
[[nodiscard]] hipStream_t make_stream();
/// False: there is no such stream.
[[nodiscard]] bool destroy_stream(hipStream_t stream);

/// Of the calling thread.
[[nodiscard]] int& current_device();
/// How many there are; counted anew with `hipGetDeviceCount`.
[[nodiscard]] int device_count();

}  // namespace conccl::test::fake_hip
