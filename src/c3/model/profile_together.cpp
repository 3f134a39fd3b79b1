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
constexpr double kLeastGainOfOne = 0.04;

/// Factors that the same times show.
struct Group {
  struct Factor {
    double BesideFacts::* member;
    std::string_view field;
  };

  plan::Form form;
  plan::Collective collective;
  std::vector<Factor> factors;

  [[nodiscard]] std::string name() const { return std::string(plan::name_of(collective)); }
};

Group kernels_group(plan::Collective collective, bool kernels_roam) {
  Group group{plan::Form::compute,
              collective,
              {{&BesideFacts::gemm_by_kernels, "gemm_by_kernels"},
               {&BesideFacts::kernels_by_gemm, "kernels_by_gemm"}}};
  if (kernels_roam) group.factors.push_back({&BesideFacts::gemm_squeezed, "gemm_squeezed"});
  return group;
}

/// Copies to peers are told by all-gathers, copies within the device by all-to-alls, where every
/// block has to go somewhere.
Group dma_group(plan::Collective collective) {
  if (collective == plan::Collective::all_gather) {
    return {plan::Form::dma,
            collective,
            {{&BesideFacts::gemm_by_dma, "gemm_by_dma"},
             {&BesideFacts::dma_by_gemm, "dma_by_gemm"},
             {&BesideFacts::dma_launch_by_gemm, "dma_launch_by_gemm"}}};
  }
  return {plan::Form::dma,
          collective,
          {{&BesideFacts::gemm_by_local, "gemm_by_local"},
           {&BesideFacts::local_by_gemm, "local_by_gemm"}}};
}

/// Of a kind of GEMM.
std::vector<Group> groups_of_kind(bool kernels_roam) {
  std::vector<Group> list;
  for (const auto collective : plan::all_collectives()) {
    list.push_back(kernels_group(collective, kernels_roam));
    list.push_back(dma_group(collective));
  }
  return list;
}

/// Of one GEMM, which may lose more to either collective than its kind does.
std::vector<Group> groups_of_one(bool kernels_roam) {
  auto list = groups_of_kind(kernels_roam);
  const auto to_peers = dma_group(plan::Collective::all_gather).factors;
  for (Group& group : list) {
    const bool tells_them = group.collective == plan::Collective::all_gather;
    if (group.form != plan::Form::dma || tells_them) continue;
    group.factors.insert(group.factors.begin(), to_peers.begin(), to_peers.end());
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
    return find_strategy(row.strategy).form == group.form && row.collective == group.collective &&
           row.strategy != "serial";
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

/// What copies to peers cost does not depend on why they are made.
void share_copies(Fit& fit, const std::string& kind, const Group& group) {
  auto& beside = fit.machine.model.beside[kind];
  for (const auto& factor : group.factors) {
    beside["all_to_all"].*factor.member = beside["all_gather"].*factor.member;
    fit.cite(fmt::format("model.beside.{}.all_to_all.{}", kind, factor.field), "as all_gather's");
  }
}

void fit_kinds(Fit& fit, Rows& rows) {
  for (const auto bound : {GemmBound::compute, GemmBound::memory}) {
    const std::string kind = bound == GemmBound::compute ? "compute_bound" : "memory_bound";
    for (const Group& group : groups_of_kind(fit.machine.model.kernel_step > 0)) {
      rows.choose(bound, group);
      if (rows.size() == 0) continue;
      fit_kind(rows, group, fit.machine.model.beside[kind][group.name()]);
      for (const auto& factor : group.factors) {
        fit.cite(fmt::format("model.beside.{}.{}.{}", kind, group.name(), factor.field),
                 how_well(rows));
      }
      const bool gathers = group.collective == plan::Collective::all_gather;
      if (gathers && group.form == plan::Form::dma) share_copies(fit, kind, group);
    }
  }
}

/// Each GEMM's own, from those of its kind on, as far as it has times that show them.
void fit_each(Fit& fit, Rows& rows) {
  const auto all = groups_of_one(fit.machine.model.kernel_step > 0);
  for (KnownGemm& known : fit.machine.model.gemms) {
    std::size_t times = 0;
    double error = 0;
    for (const Group& group : all) {
      rows.choose(known.gemm, group);
      if (rows.size() == 0) continue;
      const BesideFacts kind = gemm_cost(fit.machine, known.gemm, group.collective).beside;
      BesideFacts& own = known.beside[group.name()];
      for (const auto& factor : group.factors) own.*factor.member = kind.*factor.member;
      fit_one(rows, group, own);
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
  for (int pass = 0; pass < kPasses; ++pass) {
    fit_late(fit, rows);
    fit_flag(fit, rows);
    fit_kinds(fit, rows);
  }
  fit_each(fit, rows);
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
