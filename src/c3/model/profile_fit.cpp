// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/profile_fit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "c3/model/profile_parts.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

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
  fit_power(fit);
  note_range(fit);
  fit_together(fit);
  note_errors(fit);
  return std::move(fit.machine);
}

}  // namespace conccl::c3
