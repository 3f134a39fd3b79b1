// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// One copy engine of a GPU: a bounded ring of copies, and the thread that runs them.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/fakes/hsa/memory.hpp"

namespace conccl::test::fake_hsa {

struct Runtime;

/// What a copy is told to do wrong.
enum class CopyFault { none, fails, loses_completion, raises_event };

struct Copy {
  void* dst = nullptr;
  const void* src = nullptr;
  std::size_t bytes = 0;
  std::vector<Signal*> dependencies;  ///< held until each was seen at 0
  Signal* completion = nullptr;       ///< held until the copy ends
  CopyFault fault = CopyFault::none;
};

/// The id of a GPU's engine that is no engine: a kernel of the runtime's that copies.
inline constexpr int kComputeCopies = -1;

class Engine {
 public:
  /// `agent` is a GPU.
  Engine(Runtime& runtime, const Agent& agent, int id);
  ~Engine() { stop(); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Blocks while the ring is full.
  void submit(Copy copy);
  [[nodiscard]] bool idle() const { return pending_.load() == 0; }
  [[nodiscard]] std::int64_t copies() const { return submitted_.load(); }
  /// What has not started never does. Once, or again.
  void stop();

 private:
  /// A copy that has read its source: what it read shows at its destination only at its end.
  struct Staged {
    Copy copy;
    Ticks ticks;
    std::shared_ptr<const Allocation> target;
    std::vector<std::byte> bytes;
    Outcome outcome = Outcome::done;
  };

  void run();
  /// Whether there is a copy to run: false once stopped.
  [[nodiscard]] bool wait_for_copy();
  [[nodiscard]] bool wait_for_dependencies(Copy& copy);
  /// Those that may run at once, in no order; all but the first only when told to overlap.
  [[nodiscard]] std::vector<Copy> take_ready();
  [[nodiscard]] Copy take_first();
  void run_in_order();
  void run_overlapped();
  [[nodiscard]] Staged stage(Copy copy);
  void deliver(Staged& staged);
  void fault(Staged& staged, const void* address);
  /// False when stopped meanwhile.
  bool pause(std::chrono::microseconds time);
  bool be_slow();

  Runtime& runtime_;
  const Agent& agent_;
  const int id_;
  const std::size_t capacity_;
  std::atomic<std::int64_t> pending_{0};
  std::atomic<std::int64_t> submitted_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Copy> ring_;
  std::size_t running_ = 0;  ///< taken from the ring, whose places they keep
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

}  // namespace conccl::test::fake_hsa
