// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Pool`: threads that run the pieces of work, as a dispatcher hands workgroups to compute units.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backend/host/span_log.hpp"
#include "backend/host/work.hpp"

namespace conccl::backend::host {

/// fifo: all pieces of an earlier entry start before those of a later one. round_robin: entries
/// take turns, one piece each, so that they progress side by side.
enum class PoolOrder { fifo, round_robin };

struct PoolSpec {
  std::string name;                    ///< of the threads, followed by the unit's index
  std::vector<std::vector<int>> cpus;  ///< one entry per unit: the cores it may use
  PoolOrder order = PoolOrder::fifo;
};

/// Who may run an entry, and before whom. High-priority entries are served first; pieces that run
/// are never interrupted.
struct Placement {
  int first_unit = 0;
  int end_unit = 0;
  plan::Priority priority = plan::Priority::normal;
};

/// Where an entry's pieces are recorded; `units` is the pool's row of a SpanLog.
struct SpanSink {
  SpanLog::Unit* units = nullptr;
  const std::string* lane = nullptr;
};

/// Any thread may call `run`, except the pool's own.
class Pool {
 public:
  explicit Pool(const PoolSpec& spec);
  /// No `run` may be in progress.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] int units() const { return static_cast<int>(threads_.size()); }
  /// Entries with a piece that no unit has taken yet.
  [[nodiscard]] std::size_t waiting() const;

  /// Returns when every piece has ended. Rethrows the first error of a piece; the others have run.
  /// `sink` may be null.
  void run(Work& work, const Placement& placement, const SpanSink* sink);

 private:
  struct Entry {
    Work& work;
    const Placement& placement;
    const SpanSink* sink;
    std::size_t next = 0;
    std::size_t unfinished = 0;
    bool ended = false;
    std::exception_ptr error{};
    std::condition_variable end{};
  };
  struct Claim {
    Entry* entry = nullptr;
    std::size_t piece = 0;
  };
  using Line = std::deque<Entry*>;

  [[nodiscard]] Line& line_of(plan::Priority priority);
  [[nodiscard]] Claim claim_from(Line& line, int unit);
  [[nodiscard]] Claim claim(int unit);
  void finish(Entry& entry, std::exception_ptr error, std::unique_lock<std::mutex>& lock);
  void serve(int unit);

  PoolOrder order_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Line high_;
  Line normal_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace conccl::backend::host
