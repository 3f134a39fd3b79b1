// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/trace/trace_json.hpp"

#include "bench/trace/events.hpp"

namespace conccl::bench {
namespace {

constexpr std::string_view kPerRank =
    "devices have clocks of their own: each rank's time 0 is the start of its own first piece of "
    "work, so order and distance between ranks mean nothing";
constexpr std::string_view kShared =
    "all ranks read one clock: time 0 is the start of the first piece of work of any rank";
constexpr std::string_view kRecords =
    "a tracer's records have its own clock: their time 0 is the start of their first record";

Json other_data(const TraceHeading& heading) {
  return {{"schema", kTraceSchema},
          {"machine", heading.machine},
          {"emulation", heading.emulation},
          {"clock", heading.clock == TraceClock::per_rank ? kPerRank : kShared},
          {"records", kRecords}};
}

}  // namespace

std::string trace_json(const TraceHeading& heading, const std::vector<TracedRun>& runs) {
  EventList events;
  for (const auto& run : runs) {
    add_timeline(run, heading.clock, events);
    add_records(run, events);
  }
  const Json json = {{"displayTimeUnit", "ns"},
                     {"otherData", other_data(heading)},
                     {"traceEvents", std::move(events).take()}};
  return line_of(json) + "\n";
}

}  // namespace conccl::bench
