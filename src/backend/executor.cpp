// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "conccl/core/errors.hpp"

namespace conccl::backend {
namespace {

constexpr std::size_t kMaxLaneQueues = 256;

std::byte* address_of(const plan::Ref& ref, std::span<const RankBuffers> buffers) {
  const auto& rank = buffers[static_cast<std::size_t>(ref.rank)];
  switch (ref.buffer) {
    case plan::BufferKind::send:
      return rank.send + ref.offset;
    case plan::BufferKind::recv:
      return rank.recv + ref.offset;
    case plan::BufferKind::scratch:
      return rank.scratch + ref.offset;
  }
  return nullptr;
}

/// Which flag of a rank's block a plan's flag is.
FlagRef flag_of(const Bindings& bindings, int rank, int flag) {
  const auto at = static_cast<std::size_t>(rank);
  const int first = bindings.first_flags.empty() ? 0 : bindings.first_flags[at];
  return {bindings.flags[at], first + flag};
}

/// Records one step on a queue.
struct StepRecorder {
  const Bindings& bindings;
  Queue& queue;
  Origin origin;

  void operator()(const plan::Copy& copy) const {
    queue.copy(address_of(copy.dst, bindings.buffers), address_of(copy.src, bindings.buffers),
               copy.bytes, origin);
  }
  void operator()(const plan::Signal& signal) const {
    queue.signal(flag_of(bindings, signal.rank, signal.flag), raised());
  }
  void operator()(const plan::Wait& wait) const {
    const FlagRef flag = flag_of(bindings, bindings.rank, wait.flag);
    queue.wait(flag, raised());
    if (bindings.use == FlagUse::reset) queue.signal(flag, 0);
  }
  void operator()(const plan::Compute& compute) const {
    queue.compute(*bindings.tasks[static_cast<std::size_t>(compute.task)], origin);
  }

  [[nodiscard]] std::uint64_t raised() const {
    return bindings.use == FlagUse::reset ? 1 : bindings.sequence;
  }
};

/// A second waiter of a flag that the first one lowers might wait for good.
void demand_one_waiter_each(const plan::RankPlan& lanes) {
  std::set<int> waited;
  for (const auto& lane : lanes.lanes) {
    for (const auto& step : lane.steps) {
      const auto* wait = std::get_if<plan::Wait>(&step);
      if (wait == nullptr || waited.insert(wait->flag).second) continue;
      throw Unavailable(
          fmt::format("executor: lane {} waits for flag {}, which is waited for before; one wait "
                      "per flag can be captured",
                      lane.label, wait->flag));
    }
  }
}

void order_by_launch(const plan::RankPlan& plan, std::vector<std::size_t>& order) {
  order.resize(plan.lanes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&plan](std::size_t a, std::size_t b) {
    return std::pair(plan.lanes[a].launch_rank, a) < std::pair(plan.lanes[b].launch_rank, b);
  });
}

/// Whether lanes are to be enqueued after lane `index` and those of its launch rank.
bool others_follow(const plan::RankPlan& plan, std::size_t index) {
  return std::any_of(plan.lanes.begin(), plan.lanes.end(), [&](const plan::Lane& lane) {
    return lane.launch_rank > plan.lanes[index].launch_rank;
  });
}

QueueSpec spec_of(const plan::Lane& lane) {
  return {lane.label, lane.engine, lane.share, lane.priority};
}

/// Records lane `index` on a queue.
void record(const plan::RankPlan& lanes, std::size_t index, const Bindings& bindings,
            Queue& queue) {
  const bool timed = !bindings.times.empty();
  const auto& steps = lanes.lanes[index].steps;
  if (timed) queue.timestamp(bindings.times[index].start);
  for (std::size_t step = 0; step < steps.size(); ++step) {
    const Origin origin{bindings.rank, static_cast<int>(step)};
    std::visit(StepRecorder{bindings, queue, origin}, steps[step]);
  }
  if (timed) queue.timestamp(bindings.times[index].end);
}

}  // namespace

Queue& Executor::queue_of(const plan::Lane& lane, std::size_t index, std::uint64_t capture) {
  const Key key{index, lane.label, lane.engine, lane.share.kind, lane.share.units, lane.priority};
  auto& made = queues_[key];
  for (const auto& queue : made) {
    const std::uint64_t busy_in = queue->capture();
    if (busy_in == 0 || busy_in == capture) return *queue;
  }
  // Only captures that have not ended make more than one of a kind.
  if (queues_.size() > kMaxLaneQueues || made.size() >= kMaxLaneQueues) {
    throw RunError(
        fmt::format("executor: more than {} different kinds of lanes, or captures side "
                    "by side",
                    kMaxLaneQueues));
  }
  return *made.emplace_back(device_.make_queue(spec_of(lane)));
}

void Executor::prepare(const plan::RankPlan& lanes, const Queue& stream) {
  chosen_.assign(lanes.lanes.size(), nullptr);
  std::optional<std::uint64_t> capture;
  bool served = false;
  for (std::size_t index = 0; index < chosen_.size(); ++index) {
    const auto& lane = lanes.lanes[index];
    const bool inside = !served && stream.serves(lane.engine);
    if (!inside) {
      if (!capture) capture = stream.capture();
      chosen_[index] = &queue_of(lane, index, *capture);
    }
    served |= inside;
  }
}

void Executor::launch(const plan::RankPlan& lanes, const Bindings& bindings, Queue& stream) {
  if (bindings.use == FlagUse::reset) demand_one_waiter_each(lanes);
  prepare(lanes, stream);
  for (Queue* queue : chosen_) {
    if (queue != nullptr) queue->after(stream);
  }
  order_by_launch(lanes, order_);
  for (const std::size_t index : order_) {
    if (Queue* queue = chosen_[index]; queue != nullptr) {
      record(lanes, index, bindings, *queue);
      queue->submit();
      continue;
    }
    const QueueSpec lane = spec_of(lanes.lanes[index]);
    stream.act_as(&lane);
    record(lanes, index, bindings, stream);
    stream.act_as(nullptr);
    // Otherwise the caller's next operations can go to the device together with these.
    if (others_follow(lanes, index)) stream.submit();
  }
  for (Queue* queue : chosen_) {
    if (queue != nullptr) stream.after(*queue);
  }
}

}  // namespace conccl::backend
