// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/trace/events.hpp"

namespace conccl::bench {
namespace {

double microseconds(Nanoseconds time) { return static_cast<double>(time.count()) / 1e3; }

Json about(const char* what, int process, Json arguments) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"args", std::move(arguments)}};
}

}  // namespace

int EventList::add_process(const std::string& name) {
  const int process = processes_++;
  events_.push_back(about("process_name", process, {{"name", name}}));
  events_.push_back(about("process_sort_index", process, {{"sort_index", process}}));
  return process;
}

void EventList::add_thread(int process, int thread, const std::string& name) {
  Json named = about("thread_name", process, {{"name", name}});
  named["tid"] = thread;
  events_.push_back(std::move(named));
  Json sorted = about("thread_sort_index", process, {{"sort_index", thread}});
  sorted["tid"] = thread;
  events_.push_back(std::move(sorted));
}

void EventList::add_slice(int process, int thread, const Slice& slice) {
  events_.push_back({{"ph", "X"},
                     {"name", slice.name},
                     {"pid", process},
                     {"tid", thread},
                     {"ts", microseconds(slice.start)},
                     {"dur", microseconds(slice.end - slice.start)},
                     {"args", slice.arguments}});
}

void EventList::add_counter(int process, const std::string& name,
                            const std::vector<RatePoint>& points) {
  for (const auto& point : points) {
    events_.push_back({{"ph", "C"},
                       {"name", name},
                       {"pid", process},
                       {"ts", microseconds(point.at)},
                       {"args", {{"GB/s", point.gbps}}}});
  }
}

}  // namespace conccl::bench
