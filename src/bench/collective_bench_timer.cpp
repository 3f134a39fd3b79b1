// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_timer.hpp"

#include <algorithm>

#include "conccl/core/errors.hpp"
#include "conccl/core/statistics.hpp"

namespace conccl::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Between two looks at who wants to stop: long enough to cost nothing, since a look is a meeting.
constexpr int kCallsBetweenMeetings = 256;

}  // namespace

TimedCall::TimedCall(const Ranks& ranks, std::unique_ptr<Call> call, CallMethod method,
                     int iterations)
    : call_(std::move(call)), method_(method) {
  if (method_ != CallMethod::graph) return;
  graphs_.resize(ranks.local_count());
  capture(ranks, 0, iterations);
}

void TimedCall::capture(const Ranks& ranks, std::size_t local, int iterations) {
  if (local == graphs_.size()) {
    for (int i = 0; i < iterations; ++i) call_->enqueue();
    return;
  }
  graphs_[local] = backend::cuda::capture_graph(
      call_->queue(local), [&, this] { capture(ranks, local + 1, iterations); });
}

void TimedCall::enqueue() {
  if (method_ != CallMethod::graph) {
    call_->enqueue();
    return;
  }
  for (std::size_t local = 0; local < graphs_.size(); ++local) {
    graphs_[local]->launch(call_->queue(local));
  }
}

bool CallTimer::interrupted() {
  const bool here = interrupt_ != nullptr && interrupt_->load();
  return ranks_.meet(here ? Ranks::Wish::stop : Ranks::Wish::go_on) == Ranks::Wish::stop;
}

void CallTimer::meet() {
  if (interrupted()) throw Interrupted("interrupted");
}

Microseconds CallTimer::each_awaited(Call& call, int iterations) {
  std::vector<double> times;
  for (int i = 1; i <= iterations; ++i) {
    const auto start = Clock::now();
    call.enqueue();
    call.synchronize();
    times.push_back(Microseconds(Clock::now() - start).count());
    if (i % kCallsBetweenMeetings == 0 && interrupted()) break;
  }
  return Microseconds(median(times));
}

void CallTimer::enqueue_all(TimedCall& timed, int iterations) {
  if (timed.method() == CallMethod::graph) {
    timed.enqueue();
    return;
  }
  for (int i = 1; i <= iterations; ++i) {
    timed.enqueue();
    if (i % kCallsBetweenMeetings == 0 && interrupted()) break;
  }
}

std::vector<CallTime> CallTimer::back_to_back(TimedCall& timed, int iterations) {
  const auto stamp = [&timed](std::vector<backend::Timestamp>& slots) {
    for (std::size_t local = 0; local < slots.size(); ++local) {
      timed.call().queue(local).timestamp(slots[local]);
      timed.call().queue(local).submit();
    }
  };
  const auto start = Clock::now();
  stamp(starts_);
  enqueue_all(timed, iterations);
  stamp(ends_);
  timed.call().synchronize();
  const Microseconds host = (Clock::now() - start) / iterations;
  std::vector<CallTime> times;
  for (std::size_t local = 0; local < starts_.size(); ++local) {
    times.push_back({host, Microseconds(ends_[local] - starts_[local]) / iterations});
  }
  return times;
}

std::vector<CallTime> CallTimer::time_local(TimedCall& timed, int iterations) {
  if (timed.method() != CallMethod::host) return back_to_back(timed, iterations);
  const CallTime time{each_awaited(timed.call(), iterations), {}};
  return std::vector(ranks_.local_count(), time);
}

CallTime CallTimer::time(TimedCall& timed, int iterations) {
  std::vector<CallTime> times;
  bool stop = false;
  try {
    stop = interrupted();
    if (!stop) times = ranks_.gather(time_local(timed, iterations));
    stop = stop || interrupted();
  } catch (const std::exception& error) {
    ranks_.drain(error.what());
    throw;
  }
  // What was enqueued has run: an interrupted communicator is a healthy one.
  if (stop) throw Interrupted("interrupted");
  CallTime slowest;
  for (const CallTime& time : times) {
    slowest.host = std::max(slowest.host, time.host);
    slowest.device = std::max(slowest.device, time.device);
  }
  return slowest;
}

}  // namespace conccl::bench
