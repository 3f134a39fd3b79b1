// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/plan/oracle/tally.hpp"

#include <fmt/format.h>

#include <limits>

namespace conccl::plan::oracle {
namespace {

std::string row(std::string_view name, const Count& count) {
  return fmt::format("{:<20}{:>8}{:>10}{:>10}{:>11}{:>14}{:>11}\n", name, count.total,
                     count.refused, count.accepted, count.survivors, count.false_alarms,
                     count.undecided);
}

constexpr Bytes kLastByte = std::numeric_limits<Bytes>::max();

bool names_bytes(Fault fault) {
  return fault == Fault::race || fault == Fault::wrong_bytes || fault == Fault::out_of_bounds;
}

bool names_a_step(Fault fault) {
  return fault == Fault::malformed || fault == Fault::out_of_bounds || fault == Fault::flag_reuse ||
         fault == Fault::deadlock;
}

bool is_place(const Complaint& complaint, const Plan& plan) {
  if (complaint.lane == -1 || complaint.step == -1) return complaint.lane == complaint.step;
  const auto& lanes = plan.ranks[static_cast<std::size_t>(complaint.rank)].lanes;
  const auto lane = static_cast<std::size_t>(complaint.lane);
  return complaint.lane >= 0 && lane < lanes.size() && complaint.step >= 0 &&
         static_cast<std::size_t>(complaint.step) < lanes[lane].steps.size();
}

}  // namespace

void Tally::add(MutationKind kind, Meaning meaning, const Verdict& verdict) {
  Count& count = counts_[kind];
  ++count.total;
  if (meaning == Meaning::undecided) {
    ++count.undecided;
  } else if (meaning == Meaning::wrong) {
    ++(verdict.accepted() ? count.survivors : count.refused);
  } else {
    ++(verdict.accepted() ? count.accepted : count.false_alarms);
  }
}

Count Tally::sum() const {
  Count sum;
  for (const auto& [kind, count] : counts_) {
    sum.total += count.total;
    sum.refused += count.refused;
    sum.accepted += count.accepted;
    sum.survivors += count.survivors;
    sum.false_alarms += count.false_alarms;
    sum.undecided += count.undecided;
  }
  return sum;
}

std::string Tally::text(std::string_view alarms) const {
  std::string text = fmt::format("{:<20}{:>8}{:>10}{:>10}{:>11}{:>14}{:>11}\n", "mutation", "total",
                                 "refused", "accepted", "survivors", alarms, "undecided");
  for (const auto& [kind, count] : counts_) text += row(name_of(kind), count);
  return text + row("all", sum());
}

std::string flaw_of(const Complaint& complaint, const Plan& plan) {
  const auto is_rank = [&](int rank) { return rank >= 0 && rank < plan.request.ranks; };
  if (complaint.fault == Fault::undecided) return "undecided";
  if (!is_rank(complaint.rank)) return "names no rank";
  if (!is_place(complaint, plan)) return "names a step that does not exist";
  if (names_a_step(complaint.fault) && complaint.step == -1) return "names no step";
  if (names_bytes(complaint.fault)) {
    if (!is_rank(complaint.buffer_rank)) return "names no rank of the buffer";
    // What ends behind the last number that Bytes holds ends there.
    const bool at_limit = complaint.begin == kLastByte && complaint.end == kLastByte;
    if (complaint.begin >= complaint.end && !at_limit) return "names no bytes";
  }
  const auto& text = complaint.text;
  if (text.empty() || text.find('\n') != std::string::npos) return "is not one line";
  if (text.find("rank " + std::to_string(complaint.rank)) == std::string::npos) {
    return "does not spell its rank";
  }
  return {};
}

}  // namespace conccl::plan::oracle
