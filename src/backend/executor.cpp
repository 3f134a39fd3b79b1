// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "conccl/core/errors.hpp"

namespace conccl::backend {
namespace {

constexpr int kForkFlag = 0;
constexpr int kMaxLaneQueues = 256;

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
    queue.signal({bindings.flags[static_cast<std::size_t>(signal.rank)], signal.flag},
                 bindings.sequence);
  }
  void operator()(const plan::Wait& wait) const {
    queue.wait({bindings.flags[static_cast<std::size_t>(bindings.rank)], wait.flag},
               bindings.sequence);
  }
  void operator()(const plan::Compute& compute) const {
    queue.compute(*bindings.tasks[static_cast<std::size_t>(compute.task)], origin);
  }
};

std::vector<std::size_t> launch_order(const plan::RankPlan& plan) {
  std::vector<std::size_t> order(plan.lanes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&plan](std::size_t a, std::size_t b) {
    return plan.lanes[a].launch_rank < plan.lanes[b].launch_rank;
  });
  return order;
}

}  // namespace

Executor::Executor(Device& device)
    : device_(device), local_(device.make_flags(1 + kMaxLaneQueues)) {}

Executor::~Executor() {
  if (local_) local_->poison();
}

void Executor::abandon() {
  local_->poison();
  queues_.clear();
  // A leak: nobody can tell when the stream is done with them.
  [[maybe_unused]] const auto* left_in_place = local_.release();
}

Executor::LaneQueue& Executor::queue_of(const plan::Lane& lane, std::size_t index) {
  const Key key{index, lane.label, lane.engine, lane.share.kind, lane.share.units, lane.priority};
  if (const auto found = queues_.find(key); found != queues_.end()) return found->second;
  if (queues_.size() >= kMaxLaneQueues) {
    throw RunError(fmt::format("executor: more than {} different kinds of lanes", kMaxLaneQueues));
  }
  LaneQueue entry{device_.make_queue({lane.label, lane.engine, lane.share, lane.priority}),
                  1 + static_cast<int>(queues_.size())};
  return queues_.emplace(key, std::move(entry)).first->second;
}

void Executor::record(const plan::Lane& lane, const Bindings& bindings, Queue& queue) const {
  for (std::size_t step = 0; step < lane.steps.size(); ++step) {
    const Origin origin{bindings.rank, static_cast<int>(step)};
    std::visit(StepRecorder{bindings, queue, origin}, lane.steps[step]);
  }
}

void Executor::prepare(const plan::RankPlan& lanes) {
  for (std::size_t index = 0; index < lanes.lanes.size(); ++index) {
    static_cast<void>(queue_of(lanes.lanes[index], index));
  }
}

void Executor::launch(const plan::RankPlan& lanes, const Bindings& bindings, Queue& stream) {
  if (lanes.lanes.empty()) return;
  const auto order = launch_order(lanes);
  std::vector<LaneQueue*> queues;
  queues.reserve(order.size());
  for (const std::size_t index : order) queues.push_back(&queue_of(lanes.lanes[index], index));

  const std::uint64_t launch = ++launches_;
  stream.signal({local_.get(), kForkFlag}, launch);
  for (std::size_t i = 0; i < order.size(); ++i) {
    Queue& queue = *queues[i]->queue;
    queue.wait({local_.get(), kForkFlag}, launch);
    if (!bindings.times.empty()) queue.timestamp(bindings.times[order[i]].start);
    record(lanes.lanes[order[i]], bindings, queue);
    if (!bindings.times.empty()) queue.timestamp(bindings.times[order[i]].end);
    queue.signal({local_.get(), queues[i]->join_flag}, launch);
    queue.submit();
    stream.wait({local_.get(), queues[i]->join_flag}, launch);
  }
}

}  // namespace conccl::backend
