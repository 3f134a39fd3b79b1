// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/plan/verify.hpp"

#include "plan/verify/lifetimes.hpp"
#include "plan/verify/races.hpp"
#include "plan/verify/values.hpp"

namespace conccl::plan {
namespace {

/// Each stage relies on the ones before it, so the first that complains is the last that runs.
void run_stages(const Plan& plan, const LaneTable& lanes, const VerifyOptions& options,
                VerifyCost& cost, Report& report) {
  if (!check_frame(plan, report)) return;
  const Structure structure = check_steps(plan, lanes, report);
  if (!report.empty()) return;
  const Schedule schedule = run_lanes(structure, report);
  if (!report.empty()) return;

  Budget budget(options.search_limit);
  {
    Order order(structure, schedule, budget, cost);
    check_lifetimes(structure, order, cost, report);
    if (!report.full()) check_races({structure, schedule, order, budget, cost, report});
  }
  if (report.empty()) check_values(plan, structure, schedule, budget, report);
}

}  // namespace

Verdict verify(const Plan& plan, const VerifyOptions& options) {
  const LaneTable lanes(plan);
  Report report(plan, lanes, options.max_complaints);
  Verdict verdict;
  verdict.cost.steps = step_count(plan);
  run_stages(plan, lanes, options, verdict.cost, report);
  verdict.complaints = report.take();
  return verdict;
}

std::string_view name_of(Fault fault) {
  switch (fault) {
    case Fault::malformed:
      return "malformed";
    case Fault::out_of_bounds:
      return "out of bounds";
    case Fault::flag_reuse:
      return "flag reuse";
    case Fault::deadlock:
      return "deadlock";
    case Fault::race:
      return "race";
    case Fault::wrong_bytes:
      return "wrong bytes";
    case Fault::undecided:
      return "undecided";
  }
  return "unknown";
}

}  // namespace conccl::plan
