// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/trace/trace_recorder.hpp"

#include <utility>

#include "bench/trace/gather_texts.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::bench {
namespace {

/// The spans of this process's ranks.
plan::Timeline local_timeline(const Ranks& ranks, const std::function<void()>& run) {
  for (std::size_t local = 0; local < ranks.local_count(); ++local) {
    ranks.device(local).start_timeline();
  }
  run();
  plan::Timeline timeline;
  for (std::size_t local = 0; local < ranks.local_count(); ++local) {
    auto part = ranks.device(local).take_timeline();
    std::move(part.spans.begin(), part.spans.end(), std::back_inserter(timeline.spans));
  }
  return timeline;
}

/// Whether `work` went without an Unavailable; its reason goes to the log.
bool attempt(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Unavailable& error) {
    log(LogLevel::warning, error.what());
    return false;
  }
}

Recorded record_here(const Ranks& ranks, const std::function<void()>& run, Tracer* tracer) {
  const bool tracing = tracer != nullptr && attempt([&] { tracer->start(); });
  Recorded recorded{local_timeline(ranks, run), {}};
  if (tracing) attempt([&] { recorded.records = tracer->stop(); });
  return recorded;
}

std::vector<Recorded> gather(Ranks& ranks, Recorded mine) {
  if (ranks.all_here()) return {std::move(mine)};
  std::vector<Recorded> all;
  for (const auto& bytes : gather_texts(ranks, pack(mine))) all.push_back(unpack(bytes));
  return all;
}

}  // namespace

TraceRecorder::TraceRecorder(TraceHeading heading) : heading_(std::move(heading)) {}

void TraceRecorder::record(Ranks& ranks, Workload& workload, const Configuration& configuration,
                           Tracer* tracer) {
  const auto run = [&] { static_cast<void>(workload.run_unchecked(configuration)); };
  TracedRun traced{configuration.name, configuration.lanes, {}, {}};
  for (auto& recorded : gather(ranks, record_here(ranks, run, tracer))) {
    std::move(recorded.timeline.spans.begin(), recorded.timeline.spans.end(),
              std::back_inserter(traced.timeline.spans));
    traced.records.push_back(std::move(recorded.records));
  }
  runs_.push_back(std::move(traced));
}

plan::Timeline trace_run(Ranks& ranks, Workload& workload, const Configuration& configuration) {
  TraceRecorder recorder({});
  recorder.record(ranks, workload, configuration, nullptr);
  return recorder.runs().front().timeline;
}

}  // namespace conccl::bench
