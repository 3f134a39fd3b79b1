// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/trace/events.hpp"

namespace conccl::bench {
namespace {

using Spans = std::vector<plan::Span>;

std::map<int, Spans> by_rank(const plan::Timeline& timeline) {
  std::map<int, Spans> ranks;
  for (const auto& span : timeline.spans) ranks[span.rank].push_back(span);
  return ranks;
}

Nanoseconds first_start(const Spans& spans) {
  return std::min_element(spans.begin(), spans.end(),
                          [](const auto& a, const auto& b) { return a.start < b.start; })
      ->start;
}

/// The step a span is a piece of; null where the run does not say.
const plan::Step* step_of(const TracedRun& run, const plan::Span& span) {
  const auto rank = static_cast<std::size_t>(span.rank);
  if (rank >= run.lanes.size()) return nullptr;
  for (const auto& lane : run.lanes[rank].lanes) {
    const auto step = static_cast<std::size_t>(span.step);
    if (lane.label == span.lane && step < lane.steps.size()) return &lane.steps[step];
  }
  return nullptr;
}

std::string copy_name(const plan::Copy& copy, int rank) {
  if (copy.src.rank != rank) return fmt::format("copy from rank {}", copy.src.rank);
  if (copy.dst.rank != rank) return fmt::format("copy to rank {}", copy.dst.rank);
  return "copy of the own block";
}

std::string name_of(const TracedRun& run, const plan::Span& span) {
  const plan::Step* step = step_of(run, span);
  if (step != nullptr) {
    if (const auto* copy = std::get_if<plan::Copy>(step)) return copy_name(*copy, span.rank);
  }
  return span.bytes > 0 ? fmt::format("copy, step {}", span.step) : span.lane;
}

Json arguments_of(const plan::Span& span) {
  Json arguments = {{"lane", span.lane}, {"unit", span.unit}, {"step", span.step}};
  if (span.bytes == 0) return arguments;
  arguments["bytes"] = span.bytes;
  const auto duration = (span.end - span.start).count();
  if (duration > 0) {
    arguments["GB/s"] = static_cast<double>(span.bytes) / static_cast<double>(duration);
  }
  return arguments;
}

/// On the rank's own time.
void move_to_zero(Spans& spans, Nanoseconds zero) {
  for (auto& span : spans) {
    span.start -= zero;
    span.end -= zero;
  }
}

void add_rank(const TracedRun& run, int rank, const Spans& spans, EventList& events) {
  const int process = events.add_process(fmt::format("{}: rank {}", run.name, rank));
  std::vector<Piece> pieces;
  std::vector<Flow> flows;
  for (const auto& span : spans) {
    pieces.push_back({fmt::format("{} on {}", span.lane, span.unit), span.start, span.end});
    flows.push_back({span.start, span.end, span.bytes});
  }
  int thread = 0;
  for (const auto& track : lay_out(pieces)) {
    events.add_thread(process, ++thread, track.name);
    for (const std::size_t index : track.pieces) {
      const auto& span = spans[index];
      events.add_slice(process, thread,
                       {name_of(run, span), span.start, span.end, arguments_of(span)});
    }
  }
  events.add_counter(process, "copies", rate_of(flows));
}

}  // namespace

void add_timeline(const TracedRun& run, TraceClock clock, EventList& events) {
  if (run.timeline.spans.empty()) return;
  const Nanoseconds zero = first_start(run.timeline.spans);
  for (auto& [rank, spans] : by_rank(run.timeline)) {
    move_to_zero(spans, clock == TraceClock::shared ? zero : first_start(spans));
    add_rank(run, rank, spans, events);
  }
}

}  // namespace conccl::bench
