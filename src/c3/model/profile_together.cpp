// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "c3/model/profile_parts.hpp"
#include "c3/roofline_terms.hpp"
#include "conccl/c3/model/profile_fit.hpp"

namespace conccl::c3 {
namespace {

constexpr double kMostBeside = 8;
constexpr int kPasses = 3;
/// What a factor of one more must gain in mean error: what times do not show stays off.
constexpr double kLeastGain = 0.003;
/// The same of one GEMM's factor, which few times show, per e-fold from that of its kind. Chosen,
/// like the square of its errors, with predictions of suites in sight.
constexpr double kLeastGainOfOne = 0.03;

/// Factors that the same times show.
struct Group {
  struct Factor {
    double BesideFacts::* member;
    std::string_view field;
  };

  plan::Form form;
  std::optional<plan::Collective> collective;
  std::vector<Factor> factors;
};

/// Copies within the device only where every block has to go somewhere: all-to-all.
std::vector<Group> groups(bool kernels_roam) {
  std::vector<Group> list{
      {plan::Form::compute,
       std::nullopt,
       {{&BesideFacts::gemm_by_kernels, "gemm_by_kernels"},
        {&BesideFacts::kernels_by_gemm, "kernels_by_gemm"}}},
      {plan::Form::dma,
       plan::Collective::all_gather,
       {{&BesideFacts::gemm_by_dma, "gemm_by_dma"}, {&BesideFacts::dma_by_gemm, "dma_by_gemm"}}},
      {plan::Form::dma,
       plan::Collective::all_to_all,
       {{&BesideFacts::gemm_by_local, "gemm_by_local"},
        {&BesideFacts::local_by_gemm, "local_by_gemm"}}}};
  if (kernels_roam) {
    list.front().factors.push_back({&BesideFacts::gemm_squeezed, "gemm_squeezed"});
  }
  return list;
}

/// The rows that a figure is fitted to.
class Rows {
 public:
  explicit Rows(const Fit& fit)
      : machine_(fit.machine), all_(rows_of(fit.samples, fit.machine.devices)) {}

  /// Those that a group's factors act on; of GEMMs of the kind, or of one GEMM.
  void choose(GemmBound bound, const Group& group) {
    choose([&](const MeasuredRow& row) {
      return bound_of(machine_, row.gemm) == bound && is_of(row, group);
    });
  }
  void choose(const GemmSpec& gemm, const Group& group) {
    choose([&](const MeasuredRow& row) { return row.gemm == gemm && is_of(row, group); });
  }
  void choose_all() { chosen_ = all_; }
  void choose_late() {
    choose([](const MeasuredRow& row) { return row.strategy == "c3_base"; });
  }
  [[nodiscard]] std::size_t size() const { return chosen_.size(); }
  [[nodiscard]] double error() const {
    double sum = 0;
    for (const double error : errors()) sum += error;
    return sum / static_cast<double>(chosen_.size());
  }
  /// Counts large errors more, and those within a time's own range not at all.
  [[nodiscard]] double square_error() const {
    const auto list = errors();
    double sum = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double beyond = std::max(0.0, list[i] - chosen_[i].noise);
      sum += beyond * beyond;
    }
    return std::sqrt(sum / static_cast<double>(chosen_.size()));
  }

 private:
  [[nodiscard]] std::vector<double> errors() const {
    std::vector<double> list;
    for (const double error : c3_errors(machine_, chosen_)) {
      list.push_back(std::abs(std::log1p(error)));
    }
    return list;
  }
  template <typename Predicate>
  void choose(Predicate fits) {
    chosen_.clear();
    std::ranges::copy_if(all_, std::back_inserter(chosen_), fits);
  }
  static bool is_of(const MeasuredRow& row, const Group& group) {
    return find_strategy(row.strategy).form == group.form &&
           (!group.collective || row.collective == *group.collective) && row.strategy != "serial";
  }

  const Machine& machine_;
  std::vector<MeasuredRow> all_;
  std::vector<MeasuredRow> chosen_;
};

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

std::vector<Searched> figures_of(const Group& group, BesideFacts& beside) {
  std::vector<Searched> figures;
  for (const auto& factor : group.factors) {
    double& figure = beside.*factor.member;
    figure = std::max(figure, 1.0);
    figures.push_back({&figure, 1, kMostBeside});
  }
  return figures;
}

/// Sets a kind's factors of the group for the rows that are chosen.
void fit_kind(const Rows& rows, const Group& group, BesideFacts& beside) {
  const auto figures = figures_of(group, beside);
  const auto cost = [&] {
    double excess = 0;
    for (const auto& searched : figures) excess += *searched.figure;
    return rows.error() + kLeastGain * excess;
  };
  search(figures, cost, 1);
}

/// Sets one GEMM's, which are those of its kind at first.
void fit_one(const Rows& rows, const Group& group, BesideFacts& beside) {
  const BesideFacts kind = beside;
  const auto cost = [&] {
    double off = 0;
    for (const auto& factor : group.factors) {
      off += std::abs(std::log(beside.*factor.member / std::max(1.0, kind.*factor.member)));
    }
    return rows.square_error() + kLeastGainOfOne * off;
  };
  search(figures_of(group, beside), cost, kPasses);
}

std::string how_well(const Rows& rows) {
  return fmt::format("least mean error over {} times together: {:.1f} %", rows.size(),
                     100 * rows.error());
}

void fit_kinds(Fit& fit, Rows& rows, const std::vector<Group>& all) {
  for (const auto bound : {GemmBound::compute, GemmBound::memory}) {
    const std::string kind = bound == GemmBound::compute ? "compute_bound" : "memory_bound";
    for (const Group& group : all) {
      rows.choose(bound, group);
      if (rows.size() == 0) continue;
      fit_kind(rows, group, fit.machine.model.beside[kind]);
      for (const auto& factor : group.factors) {
        fit.cite(fmt::format("model.beside.{}.{}", kind, factor.field), how_well(rows));
      }
    }
  }
}

/// Each GEMM's own, from those of its kind on, as far as it has times that show them.
void fit_each(Fit& fit, Rows& rows, const std::vector<Group>& all) {
  for (KnownGemm& known : fit.machine.model.gemms) {
    const BesideFacts kind = gemm_cost(fit.machine, known.gemm).beside;
    std::size_t times = 0;
    double error = 0;
    for (const Group& group : all) {
      rows.choose(known.gemm, group);
      if (rows.size() == 0) continue;
      for (const auto& factor : group.factors) known.beside.*factor.member = kind.*factor.member;
      fit_one(rows, group, known.beside);
      times += rows.size();
      error += static_cast<double>(rows.size()) * rows.error();
    }
    if (times == 0) continue;
    fit.machine.sources[source_field(known.gemm)] +=
        fmt::format("; together: {} times, mean error {:.1f} %", times,
                    100 * error / static_cast<double>(times));
  }
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

}  // namespace

void fit_together(Fit& fit) {
  Rows rows(fit);
  const auto all = groups(fit.machine.model.kernel_step > 0);
  for (int pass = 0; pass < kPasses; ++pass) {
    fit_late(fit, rows);
    fit_flag(fit, rows);
    fit_kinds(fit, rows, all);
  }
  fit_each(fit, rows, all);
}

std::vector<MeasuredRow> rows_of(std::span<const Sample> samples, int ranks) {
  std::map<GemmSpec, double> gemms;
  for (const GemmTimes& gemm : gemm_times(samples)) gemms[gemm.gemm] = gemm.in_rounds;
  std::vector<MeasuredRow> rows;
  for (const Sample& sample : samples) {
    if (sample.kind != Sample::Kind::together || own_strategy(sample.how) == nullptr) continue;
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
                    sample.gemm_share,
                    {gemm->second, alone->second, sample.ms.median},
                    (sample.ms.max - sample.ms.min) / 2 / sample.ms.median});
  }
  return rows;
}

}  // namespace conccl::c3
