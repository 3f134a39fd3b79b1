// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The events of a trace file. Only for sources of this folder: it shows the JSON library.
#pragma once

#include <string>

#include "bench/json.hpp"
#include "bench/trace/trace_json.hpp"
#include "bench/trace/tracks.hpp"

namespace conccl::bench {

/// Events in the trace format: processes, their threads, and what is on them. Times are from the
/// process's own zero.
class EventList {
 public:
  /// Numbers processes in the order in which they are added.
  int add_process(const std::string& name);
  /// Numbers the threads of a process from 1.
  void add_thread(int process, int thread, const std::string& name);
  struct Slice {
    std::string name;
    Nanoseconds start{};
    Nanoseconds end{};
    Json arguments;
  };
  void add_slice(int process, int thread, const Slice& slice);
  void add_counter(int process, const std::string& name, const std::vector<RatePoint>& points);

  [[nodiscard]] Json take() && { return std::move(events_); }

 private:
  int processes_ = 0;
  Json events_ = Json::array();
};

/// The lanes of a run's ranks.
void add_timeline(const TracedRun& run, TraceClock clock, EventList& events);
/// What tracers recorded of it.
void add_records(const TracedRun& run, EventList& events);

}  // namespace conccl::bench
