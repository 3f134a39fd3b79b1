// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The parts of `fit_profile`.
#pragma once

#include <string>

#include "c3/model/samples.hpp"
#include "conccl/c3/model/predict.hpp"

namespace conccl::c3 {

/// A machine as it is made, and from what.
struct Fit {
  Machine machine;
  std::span<const Sample> samples;
  std::string source;  ///< of all samples

  void cite(const std::string& field, const std::string& how) {
    machine.sources[field] = source + ": " + how;
  }
  void set_table(const std::string& name, SlowdownTable table, const std::string& how) {
    machine.model.slowdown[name] = std::move(table);
    cite("model.slowdown." + name, how);
  }
};

void fit_gemms(Fit& fit);
void fit_kernels(Fit& fit);
void fit_dma(Fit& fit);
/// The limit on power, where GEMMs were timed at rest too.
void fit_power(Fit& fit);
/// Needs the others' figures.
void fit_together(Fit& fit);

}  // namespace conccl::c3
