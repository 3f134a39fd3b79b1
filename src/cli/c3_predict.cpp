// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/c3_predict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <tuple>

#include "cli/commands.hpp"
#include "conccl/bench/predicted.hpp"
#include "conccl/c3/strategy.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

/// Those asked for, or all that the model knows.
std::vector<c3::Strategy> strategies_to_predict(const PredictOptions& options) {
  if (options.study.strategies.empty()) return c3::strategies();
  std::vector<c3::Strategy> chosen;
  for (const auto& name : options.study.strategies) {
    const c3::Strategy* const known = c3::own_strategy(name);
    if (known == nullptr) {
      throw InputError(
          fmt::format("--strategies: {} is not predicted: of kernels the model knows a vendor's "
                      "costs alone; expected serial, c3_base, c3_sp, c3_rp, c3_sp_rp, conccl or "
                      "conccl_rp",
                      name));
    }
    chosen.push_back(*known);
  }
  return chosen;
}

/// Strategies that both have for the same scenarios, with the same times.
std::string unmoved(const bench::Report& before, const bench::Report& after) {
  using Key = std::tuple<std::string, plan::Collective, std::string>;
  using Times = std::tuple<double, double, double>;
  const auto key_of = [](const bench::Result& result) {
    return Key(result.scenario, result.collective, result.strategy);
  };
  const auto times_of = [](const bench::Result& result) {
    return Times(result.t_gemm_ms.median, result.t_comm_ms.median, result.t_c3_ms.median);
  };
  std::map<Key, Times> known;
  for (const auto& result : before.results) known.emplace(key_of(result), times_of(result));
  std::map<std::string, bool> moved;
  for (const auto& result : after.results) {
    const auto found = known.find(key_of(result));
    moved[result.strategy] |= found == known.end() || found->second != times_of(result);
  }
  std::string names;
  for (const auto& [name, is_moved] : moved) {
    if (!is_moved) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  return names;
}

/// Those that a prediction without the settings has too; none where there is none.
std::string unmoved_by_settings(const PredictOptions& options, const Machine& stock,
                                const bench::Report& report) {
  try {
    return unmoved(
        bench::predict_report(stock, options.study.suite, strategies_to_predict(options)), report);
  } catch (const InputError&) {
    return {};  // the machine lacks what was set
  }
}

/// What was set, and what it left as it was: kernels keep the file's `baseline`, and GEMMs that the
/// file has their times.
std::string settings_text(const PredictOptions& options, const Machine& stock,
                          const bench::Report& report) {
  if (options.settings.empty()) return {};
  const std::string left = unmoved_by_settings(options, stock, report);
  return fmt::format(
      "set         {}\n{}", fmt::join(options.settings, ", "),
      left.empty() ? "" : fmt::format("            times of {} are as without\n", left));
}

}  // namespace

int predict(const PredictOptions& options) {
  const Machine stock = c3::load_known_machine(options.machine);
  const Machine machine = with_settings(stock, options.settings);
  const auto strategies = strategies_to_predict(options);
  bench::Report report = bench::predict_report(machine, options.study.suite, strategies);
  if (!options.files.trace.empty()) {
    report.trace = bench::predict_trace(machine, options.study.suite, strategies);
  }
  StudyScreen screen(options.files);
  for (const auto& rows : bench::rows_of(report)) screen.row(report, rows);
  screen.note(settings_text(options, stock, report));
  screen.foot(report);
  return kOk;
}

}  // namespace conccl::cli
