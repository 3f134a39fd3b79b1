// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Plan files: reading, writing, printing, and the verifier on what was read. Small plans are also
/// run byte by byte in every interleaving, and the verifier must agree with what comes of that.

#include <algorithm>
#include <string>

#include "conccl/plan/text.hpp"
#include "conccl/plan/verify.hpp"
#include "tests/fuzz/support.hpp"
#include "tests/plan/oracle/interpreter.hpp"
#include "tests/plan/oracle/tally.hpp"

namespace conccl::plan {
namespace {

constexpr std::string_view kName = "plan.json";
constexpr std::size_t kMaxSteps = 256;
constexpr std::size_t kMaxRanks = 64;
/// Of the verifier, in its units: below a second under the sanitizers.
constexpr std::size_t kWork = 4'000'000;
constexpr std::size_t kLittleWork = 100;

void check_round_trip(const Plan& plan) {
  ensure(plan_from_json(to_json(plan), kName) == plan, "a plan comes back as it was written");
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

void check_texts(const Plan& plan) {
  std::size_t lines = 2 + plan.ranks.size() + step_count(plan);
  for (const auto& rank : plan.ranks) lines += rank.lanes.size();
  ensure_equal(lines_of(to_text(plan)), lines, "lines of a plan's text");
  ensure_equal(lines_of(summary_text(plan)), std::size_t{6}, "lines of a plan's summary");
}

bool is_undecided(const Verdict& verdict) {
  return std::any_of(
      verdict.complaints.begin(), verdict.complaints.end(),
      [](const Complaint& complaint) { return complaint.fault == Fault::undecided; });
}

void check_cost(const Plan& plan, const VerifyCost& cost) {
  const std::size_t steps = step_count(plan);
  ensure_equal(cost.steps, steps, "steps that the verifier counted");
  // Each copy has two accesses; each meets at most twice as many segments as there are writes.
  ensure(cost.conflicting_pairs <= 4 * (steps + 1) * (steps + 1), "pairs grow with steps squared");
}

void check_complaints(const Plan& plan, const Verdict& verdict) {
  for (const Complaint& complaint : verdict.complaints) {
    ensure(fuzz::is_one_line(complaint.text), "a complaint is one line");
    // Those of the plan as a whole name no place in it.
    const bool is_of_all = complaint.fault == Fault::malformed && complaint.lane == -1;
    if (complaint.fault == Fault::undecided || is_of_all) continue;
    ensure_equal(oracle::flaw_of(complaint, plan), std::string(),
                 "what a complaint lacks: " + complaint.text);
  }
}

/// Less work may leave a question open, but never answers it differently.
void check_limit(const Plan& plan, const Verdict& whole) {
  const Verdict cut = verify(plan, {1, kLittleWork});
  if (is_undecided(cut) || is_undecided(whole)) return;
  ensure_equal(cut.accepted(), whole.accepted(), "accepted with little work, and with much");
}

bool is_tiny(const Plan& plan) {
  return plan.request.ranks <= 3 && plan.request.block <= 8 && plan.scratch_bytes <= 32 &&
         plan.flags <= 32 && step_count(plan) <= 32;
}

void check_meaning(const Plan& plan, const Verdict& verdict) {
  if (!is_tiny(plan) || is_undecided(verdict)) return;
  const oracle::Outcome outcome = oracle::explore(plan, {oracle::Reduction::stubborn, 1, 2'000});
  if (outcome.meaning == oracle::Meaning::undecided) return;
  const std::string said = verdict.accepted() ? "accepted" : verdict.complaints.front().text;
  ensure_equal(verdict.accepted(), outcome.meaning == oracle::Meaning::right,
               "verdict (" + said + ") and meaning (" + outcome.why + ")");
}

void check_verifier(const Plan& plan) {
  if (step_count(plan) > kMaxSteps || plan.ranks.size() > kMaxRanks) return;
  const Verdict verdict = verify(plan, {16, kWork});
  check_cost(plan, verdict.cost);
  check_complaints(plan, verdict);
  check_limit(plan, verdict);
  check_meaning(plan, verdict);
}

}  // namespace
}  // namespace conccl::plan

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conccl;
  const auto text = fuzz::text_of(data, size);
  const auto plan =
      fuzz::accepted(plan::kName, [&] { return plan::plan_from_json(text, plan::kName); });
  if (!plan) return 0;
  ensure(text.find('\0') == text.npos, "a NUL is not JSON");
  plan::check_round_trip(*plan);
  plan::check_texts(*plan);
  plan::check_verifier(*plan);
  return 0;
}
