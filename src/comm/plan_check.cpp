// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/plan_check.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

Bytes size_of(plan::BufferKind buffer, const plan::Request& request) {
  switch (buffer) {
    case plan::BufferKind::send:
      return plan::send_bytes(request);
    case plan::BufferKind::recv:
      return plan::recv_bytes(request);
    case plan::BufferKind::scratch:
      break;  // a communicator binds none
  }
  return 0;
}

/// Checks one step.
struct StepCheck {
  const PlanCall& call;
  const PlanLimits& limits;

  static void index(int value, std::size_t end, std::string_view what) {
    if (value >= 0 && static_cast<std::size_t>(value) < end) return;
    throw InputError(fmt::format("plan: {} {} is not in 0 .. {}", what, value,
                                 static_cast<std::int64_t>(end) - 1));
  }
  void rank(int value) const { index(value, static_cast<std::size_t>(limits.ranks), "rank"); }
  void flag(int value) const { index(value, static_cast<std::size_t>(call.flags), "flag"); }
  void range(const plan::Ref& ref, Bytes bytes) const {
    rank(ref.rank);
    const Bytes size = size_of(ref.buffer, call.request);
    if (ref.offset <= size && bytes <= size - ref.offset) return;
    throw InputError(fmt::format("plan: {} bytes at offset {} of {} leave its {} bytes", bytes,
                                 ref.offset, plan::name_of(ref.buffer), size));
  }

  void operator()(const plan::Copy& copy) const {
    range(copy.src, copy.bytes);
    range(copy.dst, copy.bytes);
  }
  void operator()(const plan::Signal& signal) const {
    rank(signal.rank);
    flag(signal.flag);
  }
  void operator()(const plan::Wait& wait) const { flag(wait.flag); }
  void operator()(const plan::Compute& compute) const {
    index(compute.task, call.tasks.size(), "task");
    if (call.tasks[static_cast<std::size_t>(compute.task)] == nullptr) {
      throw InputError(fmt::format("plan: task {} is null", compute.task));
    }
  }
};

void check_sizes(const PlanCall& call, const PlanLimits& limits) {
  if (call.lanes == nullptr) throw InputError("plan: no lanes");
  if (call.request.ranks != limits.ranks) {
    throw InputError(fmt::format("plan: for {} ranks, the communicator has {}", call.request.ranks,
                                 limits.ranks));
  }
  if (call.flags < 0 || call.flags > limits.flags) {
    throw InputError(
        fmt::format("plan: {} flags per rank, the communicator has {}", call.flags, limits.flags));
  }
  if (!call.times.empty() && call.times.size() != call.lanes->lanes.size()) {
    throw InputError(
        fmt::format("plan: {} times for {} lanes", call.times.size(), call.lanes->lanes.size()));
  }
}

}  // namespace

void check_plan_call(const PlanCall& call, const PlanLimits& limits) {
  check_sizes(call, limits);
  plan::validate(call.request);
  for (const auto& lane : call.lanes->lanes) {
    for (const auto& step : lane.steps) std::visit(StepCheck{call, limits}, step);
  }
}

}  // namespace conccl::comm
