// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/profile_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "c3/model/profile_parts.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

constexpr double kMostBeside = 8;
constexpr int kPasses = 3;
/// What a factor of one more must gain in mean error: what times do not show stays off.
constexpr double kLeastGain = 0.003;

/// The largest number that every partition was a multiple of: each budget or what it leaves. 1
/// where there was none.
int unit_step(std::span<const Sample> samples, int units) {
  const auto divides = [&](int step) {
    return std::ranges::all_of(samples, [&](const Sample& sample) {
      if (sample.kind != Sample::Kind::gemm || sample.budget == 0) return true;
      return sample.budget % step == 0 || (units - sample.budget) % step == 0;
    });
  };
  const bool any = std::ranges::any_of(samples, [](const Sample& sample) {
    return sample.kind == Sample::Kind::gemm && sample.budget > 0;
  });
  for (int step = any ? units / 2 : 1; step > 1; --step) {
    if (divides(step)) return step;
  }
  return 1;
}

/// A kernel that was held to units of which no partition has so many is held to no partition.
bool kernels_roam(std::span<const Sample> samples, int step) {
  return std::ranges::any_of(samples, [step](const Sample& sample) {
    return sample.kind == Sample::Kind::collective && sample.how == kOnKernels &&
           sample.budget % step != 0;
  });
}

bool has_known_strategy(const Sample& sample) {
  return std::ranges::any_of(strategies(),
                             [&](const Strategy& strategy) { return strategy.name == sample.how; });
}

/// The rows that a figure is fitted to.
class Rows {
 public:
  explicit Rows(const Fit& fit)
      : machine_(fit.machine), all_(rows_of(fit.samples, fit.machine.devices)) {}

  /// Of GEMMs of the kind, under strategies of the form, of the collective where one is given.
  void choose(GemmBound bound, plan::Form form, std::optional<plan::Collective> collective) {
    chosen_.clear();
    for (const MeasuredRow& row : all_) {
      const bool fits = bound_of(machine_, row.gemm) == bound &&
                        find_strategy(row.strategy).form == form &&
                        (!collective || row.collective == *collective) && row.strategy != "serial";
      if (fits) chosen_.push_back(row);
    }
  }
  void choose_all() { chosen_ = all_; }
  void choose_late() {
    chosen_.clear();
    for (const MeasuredRow& row : all_) {
      if (row.strategy == "c3_base") chosen_.push_back(row);
    }
  }
  [[nodiscard]] std::size_t size() const { return chosen_.size(); }
  [[nodiscard]] double error() const {
    double sum = 0;
    for (const ComparedRow& row : compare(machine_, chosen_).rows) {
      sum += std::abs(std::log1p(row.error.t_c3));
    }
    return sum / static_cast<double>(chosen_.size());
  }

 private:
  const Machine& machine_;
  std::vector<MeasuredRow> all_;
  std::vector<MeasuredRow> chosen_;
};

struct Group {
  GemmBound bound;
  std::string kind;
  plan::Form form;
  std::optional<plan::Collective> collective;
  double BesideFacts::* of_gemm;
  double BesideFacts::* of_other;
  std::string_view gemm_field;
  std::string_view other_field;
};

/// Copies within the device only where every block has to go somewhere: all-to-all.
std::vector<Group> groups() {
  std::vector<Group> list;
  for (const auto bound : {GemmBound::compute, GemmBound::memory}) {
    const std::string kind = bound == GemmBound::compute ? "compute_bound" : "memory_bound";
    list.push_back({bound, kind, plan::Form::compute, std::nullopt, &BesideFacts::gemm_by_kernels,
                    &BesideFacts::kernels_by_gemm, "gemm_by_kernels", "kernels_by_gemm"});
    list.push_back({bound, kind, plan::Form::dma, plan::Collective::all_gather,
                    &BesideFacts::gemm_by_dma, &BesideFacts::dma_by_gemm, "gemm_by_dma",
                    "dma_by_gemm"});
    list.push_back({bound, kind, plan::Form::dma, plan::Collective::all_to_all,
                    &BesideFacts::gemm_by_local, &BesideFacts::local_by_gemm, "gemm_by_local",
                    "local_by_gemm"});
  }
  return list;
}

void fit_group(Fit& fit, Rows& rows, const Group& group) {
  rows.choose(group.bound, group.form, group.collective);
  if (rows.size() == 0) return;
  BesideFacts& beside = fit.machine.model.beside[group.kind];
  for (double BesideFacts::* const figure : {group.of_gemm, group.of_other}) {
    if (beside.*figure == 0) beside.*figure = 1;
  }
  const std::array figures{Searched{&(beside.*group.of_gemm), 1, kMostBeside},
                           Searched{&(beside.*group.of_other), 1, kMostBeside}};
  const auto cost = [&] {
    return rows.error() + kLeastGain * (beside.*group.of_gemm + beside.*group.of_other);
  };
  search(figures, cost, 1);
  const std::string how = fmt::format("least mean error over {} times together: {:.1f} %",
                                      rows.size(), 100 * rows.error());
  fit.cite(fmt::format("model.beside.{}.{}", group.kind, group.gemm_field), how);
  fit.cite(fmt::format("model.beside.{}.{}", group.kind, group.other_field), how);
}

void fit_late(Fit& fit, Rows& rows) {
  if (fit.machine.model.kernel_step > 0) return;
  rows.choose_late();
  if (rows.size() == 0) return;
  constexpr double kLeast = 0.001;
  double& late = fit.machine.model.late_share;
  if (late == 0) late = kLeast;
  search(std::array{Searched{&late, kLeast, 0.5}}, [&] { return rows.error(); }, 1);
  fit.cite("model.late_share", fmt::format("least mean error over {} times under c3_base: {:.1f} %",
                                           rows.size(), 100 * rows.error()));
}

void fit_flag(Fit& fit, Rows& rows) {
  rows.choose_all();
  if (rows.size() == 0) return;
  double& latency = fit.machine.model.flag_ns;
  if (latency == 0) latency = 1;
  search(std::array{Searched{&latency, 1, 30'000}}, [&] { return rows.error(); }, 1);
  fit.cite("model.flag_ns", fmt::format("least mean error over {} times together: {:.1f} %",
                                        rows.size(), 100 * rows.error()));
}

void note_range(Fit& fit) {
  ModelFacts& model = fit.machine.model;
  for (const Sample& sample : fit.samples) {
    if (sample.kind != Sample::Kind::together) continue;
    model.fitted_from =
        model.fitted_from == 0 ? sample.bytes : std::min(model.fitted_from, sample.bytes);
    model.fitted_to = std::max(model.fitted_to, sample.bytes);
  }
  if (model.fitted_to == 0) return;
  fit.cite("model.fitted_from", "smallest collective");
  fit.cite("model.fitted_to", "largest collective");
}

void note_errors(Fit& fit) {
  const auto rows = rows_of(fit.samples, fit.machine.devices);
  if (rows.empty()) return;
  const ErrorSummary all = overall_errors(compare(fit.machine, rows));
  fit.machine.notes["model"] = fmt::format(
      "of {} times together, which it was fitted to, it misses half by less than "
      "{:.1f} % and {} by more than {:.0f} %",
      all.rows, 100 * all.median_c3, all.over_far, 100 * kFarError);
  const double error = std::min(rounded(all.median_c3), 1.0);
  if (error == 0) return;
  fit.machine.model.error = error;
  fit.cite("model.error", fmt::format("median over {} times together", all.rows));
}

}  // namespace

void fit_together(Fit& fit) {
  Rows rows(fit);
  for (int pass = 0; pass < kPasses; ++pass) {
    fit_late(fit, rows);
    fit_flag(fit, rows);
    for (const Group& group : groups()) fit_group(fit, rows, group);
  }
}

Machine fit_profile(const Machine& probed, std::span<const Sample> samples,
                    std::string_view source) {
  Fit fit{probed, samples, std::string(source)};
  ModelFacts& model = fit.machine.model;
  model = {};
  model.unit_step = unit_step(samples, probed.device.compute_units);
  fit.cite("model.unit_step", "what all partitions are multiples of");
  if (kernels_roam(samples, model.unit_step)) {
    model.kernel_step = model.unit_step;
    fit.cite("model.kernel_step", "assumed: as unit_step");
  }
  fit_gemms(fit);
  fit_kernels(fit);
  fit_dma(fit);
  note_range(fit);
  fit_together(fit);
  note_errors(fit);
  return std::move(fit.machine);
}

std::vector<MeasuredRow> rows_of(std::span<const Sample> samples, int ranks) {
  std::map<GemmSpec, double> gemms;
  for (const GemmTimes& gemm : gemm_times(samples)) gemms[gemm.gemm] = gemm.alone();
  std::vector<MeasuredRow> rows;
  for (const Sample& sample : samples) {
    if (sample.kind != Sample::Kind::together || !has_known_strategy(sample)) continue;
    const bool dma = find_strategy(sample.how).form == plan::Form::dma;
    const auto comm = collective_times(samples, {sample.collective, dma ? kOnDma : kOnKernels, 0});
    const auto alone = comm.find(sample.bytes);
    const auto gemm = gemms.find(sample.gemm);
    if (alone == comm.end() || gemm == gemms.end()) continue;
    rows.push_back({"profile",
                    to_string(sample.gemm),
                    sample.gemm,
                    sample.collective,
                    sample.bytes,
                    ranks,
                    sample.how,
                    sample.budget,
                    {gemm->second, alone->second, sample.ms.median}});
  }
  return rows;
}

}  // namespace conccl::c3
