// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "conccl/core/errors.hpp"

namespace conccl::plan {
namespace {

constexpr Bytes kMaxBytes = (Bytes{1} << 63U) - 1;

class StepChecker {
 public:
  StepChecker(const Plan& plan, Structure& structure, Report& report)
      : plan_(plan), structure_(structure), report_(report) {
    for (const auto buffer : {BufferKind::send, BufferKind::recv, BufferKind::scratch}) {
      sizes_[static_cast<std::size_t>(buffer)] = buffer_bytes(plan, buffer);
    }
  }

  void check(Event event) {
    event_ = event;
    rank_ = structure_.lanes.rank(event.lane);
    std::visit(*this, structure_.lanes.step(event));
  }

  void operator()(const Copy& copy) {
    if (!exists(copy.src, "source") || !exists(copy.dst, "destination")) return;
    if (copy.src.rank != rank_ && copy.dst.rank != rank_) {
      malformed(
          fmt::format("neither end is local; expected source or destination at rank {}", rank_));
      return;
    }
    const bool reads = in_bounds(copy.src, copy.bytes, "source");
    const bool writes = in_bounds(copy.dst, copy.bytes, "destination");
    if (!reads || !writes || copy.bytes == 0) return;
    ++structure_.use[buffer_index(copy.src.rank, copy.src.buffer)].reads;
    ++structure_.use[buffer_index(copy.dst.rank, copy.dst.buffer)].writes;
  }

  void operator()(const Signal& signal) {
    if (!is_rank(signal.rank)) {
      malformed(fmt::format("rank {} is not in 0 .. {}", signal.rank, plan_.request.ranks - 1));
    } else if (!is_flag(signal.flag)) {
      malformed(no_flag(signal.flag));
    } else if (const Event first = structure_.flags.raise(signal, event_); first.lane != kNone) {
      report_.add(Fault::flag_reuse, event_, Range{signal.rank},
                  fmt::format("the flag is raised by {} too; expected one step to raise it",
                              report_.text_of(first)));
    }
  }

  void operator()(const Wait& wait) {
    if (!is_flag(wait.flag)) {
      malformed(no_flag(wait.flag));
    } else {
      structure_.flags.await(rank_, wait.flag);
    }
  }

  void operator()(const Compute& compute) {
    if (compute.task >= 0 && static_cast<std::size_t>(compute.task) < plan_.tasks.size()) return;
    malformed(
        fmt::format("task {} does not exist; the plan has {}", compute.task, plan_.tasks.size()));
  }

 private:
  [[nodiscard]] bool is_rank(int rank) const { return rank >= 0 && rank < plan_.request.ranks; }
  [[nodiscard]] bool is_flag(int flag) const { return flag >= 0 && flag < plan_.flags; }
  [[nodiscard]] std::string no_flag(int flag) const {
    return fmt::format("flag {} does not exist; the plan has {} per rank", flag, plan_.flags);
  }

  bool exists(const Ref& ref, const char* end) {
    if (!is_rank(ref.rank)) {
      malformed(
          fmt::format("{} rank {} is not in 0 .. {}", end, ref.rank, plan_.request.ranks - 1));
      return false;
    }
    if (static_cast<std::size_t>(ref.buffer) >= kBufferKinds) {
      malformed(fmt::format("{} buffer {} does not exist", end, static_cast<int>(ref.buffer)));
      return false;
    }
    return true;
  }

  bool in_bounds(const Ref& ref, Bytes bytes, const char* end) {
    const Bytes size = sizes_[static_cast<std::size_t>(ref.buffer)];
    if (ref.offset <= size && bytes <= size - ref.offset) return true;
    const Bytes room = std::numeric_limits<Bytes>::max() - ref.offset;
    report_.add(Fault::out_of_bounds, event_, range_of(ref, std::min(bytes, room)),
                fmt::format("{} {} and {} bytes; expected to end within {} bytes", end,
                            text_of(ref), bytes, size));
    return false;
  }

  void malformed(const std::string& what) {
    report_.add(Fault::malformed, event_, Range{rank_}, what);
  }

  const Plan& plan_;
  Structure& structure_;
  Report& report_;
  std::array<Bytes, kBufferKinds> sizes_{};
  Event event_;
  int rank_ = 0;
};

}  // namespace

bool check_frame(const Plan& plan, Report& report) {
  try {
    validate(plan.request);
  } catch (const InputError& error) {
    report.add(Fault::malformed, Range{}, fmt::format("request: {}", error.what()));
    return false;
  }
  if (plan.ranks.size() != static_cast<std::size_t>(plan.request.ranks)) {
    report.add(Fault::malformed, Range{},
               fmt::format("the plan has lanes for {} ranks; expected {}, as requested",
                           plan.ranks.size(), plan.request.ranks));
  }
  if (plan.flags < 0) {
    report.add(Fault::malformed, Range{}, fmt::format("flags: {} is negative", plan.flags));
  }
  if (plan.scratch_bytes > kMaxBytes) {
    report.add(
        Fault::malformed, Range{},
        fmt::format("scratch: {} bytes; expected at most {}", plan.scratch_bytes, kMaxBytes));
  }
  constexpr auto kMaxSteps = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  for (const auto& rank : plan.ranks) {
    for (const auto& lane : rank.lanes) {
      if (lane.steps.size() <= kMaxSteps) continue;
      report.add(Fault::malformed, Range{}, fmt::format("a lane has over {} steps", kMaxSteps));
    }
  }
  return report.empty();
}

Structure check_steps(const Plan& plan, const LaneTable& lanes, Report& report) {
  Structure structure{lanes, FlagTable(plan, lanes), {}};
  structure.use.resize(plan.ranks.size() * kBufferKinds);
  StepChecker checker(plan, structure, report);
  for (std::uint32_t lane = 0; lane < lanes.size() && !report.full(); ++lane) {
    const auto steps = static_cast<std::uint32_t>(lanes.steps(lane).size());
    for (std::uint32_t step = 0; step < steps && !report.full(); ++step)
      checker.check({lane, step});
  }
  return structure;
}

}  // namespace conccl::plan
