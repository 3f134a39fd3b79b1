// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "cli/advise_print.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

using c3::Considered;
using c3::Probe;

constexpr std::string_view kLabel = "a model's figures: nothing was measured here\n";

std::string time_text(const Probe& probe) {
  if (!probe.time) return "-";
  return fmt::format("{:.3f}{}", to_ms(*probe.time), probe.extrapolated.empty() ? "" : "*");
}

std::string remark_on(const Probe& probe) {
  if (!probe.time) return "not possible, because " + probe.reason;
  if (probe.passed_over.empty()) return probe.reason;
  return fmt::format("{}; passed over, because {}", probe.reason, probe.passed_over);
}

std::string row_of(const Considered& one, std::string_view chosen) {
  return fmt::format("{} {:<10} {:>11} {:>7}  {}\n", one.name == chosen ? '>' : ' ', one.name,
                     time_text(one.probe), one.probe.time ? std::to_string(one.probe.budget) : "-",
                     remark_on(one.probe));
}

std::string extrapolated_lines(const c3::Advice& advice) {
  std::string lines;
  for (const Considered& one : advice.considered) {
    for (const std::string& line : one.probe.extrapolated) {
      lines += fmt::format("* extrapolated, {}: {}\n", one.name, line);
    }
  }
  return lines;
}

std::string settings_text(const std::vector<c3::Setting>& settings) {
  std::string text;
  for (const c3::Setting& setting : settings) {
    text += fmt::format("  {:<12} {}\n  {:<12} ({})\n", setting.where, setting.what, "",
                        setting.source);
  }
  return text;
}

std::string head_of(const ShownAdvice& shown) {
  const c3::Question& question = shown.advice.question;
  return fmt::format(
      "{}machine     {}\ngemm        {}\ncollective  {} of {} among {} devices\n"
      "rules       {}: {}\n",
      kLabel, shown.machine.name, to_string(question.gemm), plan::name_of(question.collective),
      format_bytes(question.bytes), shown.machine.devices, c3::name_of(shown.advice.rules),
      c3::what_of(shown.advice.rules));
}

std::string choice_row(const c3::JudgedChoice& choice) {
  if (choice.chosen.empty()) {
    return fmt::format("{:<28} {:<11} {:<10} {:<12} none that the report has\n",
                       one_line(choice.scenario), plan::name_of(choice.collective), "-",
                       one_line(choice.best));
  }
  return fmt::format("{:<28} {:<11} {:<10} {:<12} {:>6.2f}  {}\n", one_line(choice.scenario),
                     plan::name_of(choice.collective), choice.chosen, one_line(choice.best),
                     100 * choice.loss, choice.right ? "yes" : "no");
}

std::string verdict_text(const c3::Verdict& verdict) {
  const int judged = verdict.scenarios - verdict.without_choice;
  std::string text = fmt::format("{} of {}", verdict.right, verdict.scenarios);
  if (judged > 0) {
    text += fmt::format("; loss {:.2f} % in the mean, {:.2f} % at worst", 100 * verdict.mean_loss,
                        100 * verdict.worst_loss);
  }
  if (verdict.without_choice > 0) {
    text += fmt::format("; {} without a choice", verdict.without_choice);
  }
  return text;
}

std::string report_lines(const StudyReport& report) {
  return fmt::format("report      {}, times {}{}\n", one_line(report.machine),
                     report.source == "model" ? "a model's" : report.source,
                     report.partial ? "; partial: the run did not finish" : "");
}

}  // namespace

std::string to_text(const ShownAdvice& shown) {
  const c3::Advice& advice = shown.advice;
  std::string text = head_of(shown);
  text += fmt::format("\n  {:<10} {:>11} {:>7}  {}\n", "strategy", "model's ms", "budget",
                      "how, or why not");
  for (const Considered& one : advice.considered) text += row_of(one, advice.chosen);
  text += extrapolated_lines(advice);
  text += fmt::format("\nchoice      {}\nwhy         {}\napply\n", advice.chosen, advice.sentence);
  return text + settings_text(shown.settings);
}

std::string to_text(const ShownEvaluation& shown) {
  std::string text = fmt::format(
      "choices are a model's: nothing was measured here\n"
      "machine     {}\n{}rules       {}: {}\n\n{:<28} {:<11} {:<10} "
      "{:<12} {:>6}  {}\n",
      shown.machine.name, report_lines(shown.report), c3::name_of(shown.rules),
      c3::what_of(shown.rules), "scenario", "collective", "choice", "fastest", "loss %", "right");
  for (const auto& choice : shown.evaluation.choices) text += choice_row(choice);
  text += fmt::format(
      "\nright: the choice's median is within the range of the fastest one's times\n"
      "right       {}\n",
      verdict_text(shown.evaluation.of_choices));
  if (!shown.evaluation.splits.empty()) {
    text += fmt::format("c3_rp's k   {}\n", verdict_text(shown.evaluation.of_splits));
  }
  return text;
}

}  // namespace conccl::cli
