// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `ThreadedQueue`: a recorded program, and a thread of the host that works through it.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backend/threaded/front_end.hpp"
#include "conccl/backend/host_flags.hpp"

namespace conccl::backend::threaded {

struct QueueSetup {
  std::string label;
  std::unique_ptr<Launcher> launcher;
  std::vector<int> cpus;        ///< of the queue's own thread; empty: any
  const void* owner = nullptr;  ///< the device, as its flags name it
};

/// Its flags are HostFlags.
class ThreadedQueue : public Queue {
 public:
  explicit ThreadedQueue(QueueSetup setup);
  ~ThreadedQueue() override;
  ThreadedQueue(const ThreadedQueue&) = delete;
  ThreadedQueue& operator=(const ThreadedQueue&) = delete;

  void copy(void* dst, const void* src, Bytes bytes, Origin origin) override;
  void signal(FlagRef flag, std::uint64_t value) override;
  void wait(FlagRef flag, std::uint64_t value) override;
  void compute(Task& task, Origin origin) override;
  void timestamp(Timestamp& slot) override;
  void after(Queue& other) override;
  [[nodiscard]] bool serves(plan::Engine /*engine*/) const override { return false; }
  void act_as(const QueueSpec* /*lane*/) override {}
  void submit() override;
  [[nodiscard]] std::uint64_t capture() const override { return 0; }
  void keep(std::shared_ptr<void> what) override;
  [[nodiscard]] bool synchronize(std::chrono::nanoseconds limit) override;

 protected:
  /// What the next submission is. For the thread that records.
  [[nodiscard]] Program& recording() { return recording_; }

 private:
  void serve();
  [[nodiscard]] bool next_program(Program& program);
  void retire(Program program, std::exception_ptr error);

  std::string label_;
  const void* owner_;
  std::shared_ptr<HostFlags> passed_;  ///< one flag, for queues that come after this one
  std::uint64_t marks_ = 0;            ///< how often it will have been raised
  FrontEnd front_end_;
  Program recording_;

  std::mutex mutex_;
  std::condition_variable submitted_;
  std::condition_variable idle_;
  std::deque<Program> pending_;
  std::vector<Program> spare_;
  bool running_ = false;
  bool stopping_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace conccl::backend::threaded
