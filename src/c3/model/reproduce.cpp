// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "conccl/core/errors.hpp"
#include "conccl/core/statistics.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;

/// The paper's means over its scenarios.
struct PaperMean {
  std::string_view strategy;
  double percent = 0;
  double speedup = 0;  ///< 0: not reported
};
constexpr std::array kMeans = {PaperMean{"c3_base", 21, 1.13}, PaperMean{"c3_sp", 42, 1.27},
                               PaperMean{"c3_rp", 41, 1.26},   PaperMean{"c3_sp_rp", 42, 0},
                               PaperMean{"conccl", 66, 1.40},  PaperMean{"conccl_rp", 72, 1.46}};

/// Least and largest mean percent among the paper's groups of scenarios with one collective.
struct PaperRange {
  std::string_view strategy;
  Collective collective = Collective::all_gather;
  double low = 0;
  double high = 0;
};
constexpr std::array kRanges = {PaperRange{"c3_base", Collective::all_to_all, 0, 13},
                                PaperRange{"c3_sp", Collective::all_to_all, 27, 46},
                                PaperRange{"c3_base", Collective::all_gather, 24, 46},
                                PaperRange{"c3_sp", Collective::all_gather, 38, 67}};

class Figures {
 public:
  Figures(const Machine& machine, const Suite& suite)
      : machine_(machine), study_(predict_suite(machine, suite, strategies())) {}

  [[nodiscard]] std::vector<PaperFigure> take() && {
    means();
    ranges();
    collectives();
    both_cures();
    engines();
    fewer_units();
    scenarios();
    return std::move(all_);
  }

 private:
  void add(std::string what, FigureKind kind, double paper, double model) {
    all_.push_back({std::move(what), kind, paper, model, FigureSource::predicted});
  }
  /// One that the machine's constants or the suite's sizes were chosen by.
  void add_given(std::string what, FigureKind kind, double paper, double model) {
    all_.push_back({std::move(what), kind, paper, model, FigureSource::given});
  }

  void means() {
    for (const PaperMean& mean : kMeans) {
      add(fmt::format("percent of ideal, {}", mean.strategy), FigureKind::percent, mean.percent,
          means_of(study_, mean.strategy).percent);
      const auto targets = paper_targets();
      const bool fitted = std::ranges::any_of(targets, [&](const FitTarget& target) {
        return target.strategy == mean.strategy && target.percent == mean.percent;
      });
      if (fitted) all_.back().source = FigureSource::fitted;
    }
    for (const PaperMean& mean : kMeans) {
      if (mean.speedup == 0) continue;
      add(fmt::format("speedup, {}", mean.strategy), FigureKind::speedup, mean.speedup,
          means_of(study_, mean.strategy).speedup);
    }
  }

  /// Mean percent of each class of scenarios, ascending.
  [[nodiscard]] std::vector<double> class_percents(const PaperRange& range) const {
    std::map<Balance, std::vector<double>> percents;
    for (const Prediction& prediction : study_) {
      if (prediction.strategy != range.strategy) continue;
      if (prediction.request.collective != range.collective) continue;
      const auto percent = percent_of_ideal(against_baseline(prediction));
      if (percent) percents[class_of(prediction)].push_back(*percent);
    }
    std::vector<double> means;
    for (const auto& [balance, values] : percents) means.push_back(mean(values));
    std::sort(means.begin(), means.end());
    return means;
  }

  void ranges() {
    for (const PaperRange& range : kRanges) {
      const auto found = class_percents(range);
      const auto name = fmt::format("{}, {}", range.strategy, plan::name_of(range.collective));
      add(fmt::format("percent of the least class, {}", name), FigureKind::percent, range.low,
          found.empty() ? 0 : found.front());
      add(fmt::format("percent of the best class, {}", name), FigureKind::percent, range.high,
          found.empty() ? 0 : found.back());
    }
  }

  void collectives() {
    add("speedup, c3_base, all_to_all", FigureKind::speedup, 1.05,
        means_of(study_, "c3_base", Collective::all_to_all).speedup);
    add("speedup, conccl, all_to_all", FigureKind::speedup, 1.43,
        means_of(study_, "conccl", Collective::all_to_all).speedup);
    double best = 0;
    for (const Strategy& strategy : strategies()) {
      best = std::max(best, means_of(study_, strategy.name).best_speedup);
    }
    add("best speedup of a scenario", FigureKind::speedup, 1.67, best);
  }

  void both_cures() {
    const double both = means_of(study_, "c3_sp_rp").percent;
    const double better =
        std::max(means_of(study_, "c3_sp").percent, means_of(study_, "c3_rp").percent);
    add("points gained by sp and rp together over the better", FigureKind::percent, 0,
        both - better);
  }

  /// Isolated, by DMA over kernels.
  [[nodiscard]] double engines_over_kernels(Bytes bytes) const {
    Scenario scenario;
    scenario.gemm = {{8192, 8192, 8192}};
    scenario.bytes = bytes;
    const auto dma = ScenarioModel(machine_, scenario).predict(find_strategy("conccl"));
    return to_ms(dma.t_comm) / to_ms(dma.t_baseline);
  }

  void engines() {
    double most = 0;
    for (Bytes bytes = 64 * kKiB; bytes < 32 * kMiB; bytes *= 2) {
      most = std::max(most, engines_over_kernels(bytes));
    }
    add_given("isolated time of DMA over kernels, most below 32 MiB", FigureKind::ratio, 4, most);
    add_given("isolated time of DMA over kernels, 128 MiB", FigureKind::ratio, 1,
              engines_over_kernels(128 * kMiB));
  }

  /// What memory-bound GEMMs give up under conccl_rp, on average.
  void fewer_units() {
    std::vector<double> budgets;
    for (const Prediction& prediction : study_) {
      if (prediction.strategy != "conccl_rp") continue;
      if (bound_of(machine_, prediction.gemm) == GemmBound::memory) {
        budgets.push_back(prediction.budget);
      }
    }
    if (!budgets.empty()) {
      add_given("units that memory-bound GEMMs give up", FigureKind::count, 8, mean(budgets));
    }
  }

  [[nodiscard]] static Balance class_of(const Prediction& prediction) {
    return balance_of(prediction.t_gemm, prediction.t_baseline);
  }

  void scenarios() {
    add("mean ideal speedup", FigureKind::speedup, 1.6, means_of(study_, "serial").ideal);
    std::map<Balance, int> classes;
    for (const Prediction& prediction : study_) {
      const bool one = prediction.strategy == "serial" &&
                       prediction.request.collective == Collective::all_gather;
      if (one) ++classes[class_of(prediction)];
    }
    constexpr std::array<std::pair<Balance, int>, 3> kClasses = {
        {{Balance::g_long, 8}, {Balance::c_long, 5}, {Balance::gc_equal, 2}}};
    for (const auto& [balance, paper] : kClasses) {
      add_given(fmt::format("scenarios that are {}", name_of(balance)), FigureKind::count, paper,
                classes[balance]);
    }
  }

  const Machine& machine_;
  std::vector<Prediction> study_;
  std::vector<PaperFigure> all_;
};

std::string number(FigureKind kind, double value) {
  switch (kind) {
    case FigureKind::percent:
      return fmt::format("{:.1f}", value);
    case FigureKind::speedup:
    case FigureKind::ratio:
      return fmt::format("{:.2f}", value);
    case FigureKind::count:
      return fmt::format("{:.0f}", value);
  }
  return {};
}

std::string_view name_of(FigureSource source) {
  switch (source) {
    case FigureSource::fitted:
      return "fitted";
    case FigureSource::given:
      return "given";
    case FigureSource::predicted:
      return "predicted";
  }
  return {};
}

}  // namespace

double goal_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::percent:
      return 3;
    case FigureKind::speedup:
      return 0.04;
    case FigureKind::ratio:
      return 0.1;
    case FigureKind::count:
      return 0;
  }
  return 0;
}

bool reproduced(const PaperFigure& figure) {
  const double goal = goal_of(figure.kind);
  const double off = std::abs(figure.model - figure.paper);
  // Printed with two decimals, so no nearer than that.
  return off <= (figure.kind == FigureKind::ratio ? goal * figure.paper : goal) + 0.005;
}

std::vector<PaperFigure> paper_figures(const Machine& machine, const Suite& suite) {
  return Figures(machine, suite).take();
}

std::string to_text(std::span<const PaperFigure> figures) {
  std::string text = fmt::format("{:<52} {:>7} {:>7} {:>7}  {:<9} {}\n", "figure", "paper", "model",
                                 "off", "", "within its goal");
  for (const PaperFigure& figure : figures) {
    const auto of = [&](double value) { return number(figure.kind, value); };
    text += fmt::format("{:<52} {:>7} {:>7} {:>7}  {:<9} {}\n", figure.what, of(figure.paper),
                        of(figure.model), of(figure.model - figure.paper), name_of(figure.source),
                        reproduced(figure) ? "yes" : "no");
  }
  int predicted = 0;
  int met = 0;
  for (const PaperFigure& figure : figures) {
    if (figure.source != FigureSource::predicted) continue;
    ++predicted;
    met += reproduced(figure) ? 1 : 0;
  }
  return text + fmt::format(
                    "predicted: {} of {} within their goals (3 points, 0.04 of a speedup, a "
                    "tenth of a ratio)\n",
                    met, predicted);
}

std::string to_text(std::span<const Sensitivity> sensitivities) {
  std::string text = fmt::format("{:<24} {:>7} {:<10} {:>8} {:>8}\n", "fitted constant", "change",
                                 "strategy", "points", "speedup");
  for (const Sensitivity& each : sensitivities) {
    text += fmt::format("{:<24} {:>+6.0f}% {:<10} {:>+8.1f} {:>+8.3f}\n", each.field,
                        100 * each.change, each.strategy, each.percent, each.speedup);
  }
  return text;
}

}  // namespace conccl::c3
