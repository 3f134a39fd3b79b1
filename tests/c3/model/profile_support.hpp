// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A machine of which everything is known, and what one would measure on it if the model were the
/// truth.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/c3/model/compare.hpp"
#include "conccl/c3/model/profile_fit.hpp"
#include "conccl/c3/model/sample.hpp"
#include "tests/c3/model/support.hpp"

namespace conccl::c3 {

inline constexpr std::array kComputeGemms = {GemmSpec{{4096, 4096, 4096}},
                                             GemmSpec{{8192, 8192, 4096}}};
inline constexpr std::array kMemoryGemms = {GemmSpec{{64, 8192, 8192}},
                                            GemmSpec{{64, 32768, 8192}}};
inline constexpr std::array<Bytes, 3> kSizes = {4 * kMiB, 16 * kMiB, 64 * kMiB};
/// Those of the GEMM alone: 132 units, of which partitions have multiples of 8.
inline constexpr std::array kGivenUp = {0, 4, 8, 12, 16, 20, 32};

/// What a probe finds, without a model.
inline Machine probed_machine() {
  Machine machine;
  machine.name = "two";
  machine.backend = "cuda";
  machine.devices = 2;
  machine.device.compute_units = 132;
  machine.device.dma_engines = 2;
  machine.device.memory_gbps = 4000;
  machine.device.peak_tflops = {{"bf16", 900}};
  machine.link = {"switch", 60, 60};
  for (const char* field :
       {"devices", "device.compute_units", "device.dma_engines", "device.memory_gbps",
        "device.peak_tflops.bf16", "link.peer_gbps", "link.device_gbps"}) {
    machine.sources[field] = "probed";
  }
  return machine;
}

inline SlowdownTable kept_by(std::initializer_list<int> units, double power) {
  SlowdownTable table;
  for (const int left : units) table.push_back({left, std::pow(132.0 / left, power)});
  return table;
}

/// Units of collectives in pieces of 8: none is left to a kernel that comes late.
inline Machine known_machine() {
  Machine machine = probed_machine();
  machine.device.gemm_efficiency = 0.8;
  ModelFacts& model = machine.model;
  model.memory_efficiency = 0.9;
  model.link_efficiency = 50.0 / 60;
  model.gemm_serial = 0.1;
  model.gemm_launch_ns = 4000;
  model.unit_step = 8;
  model.kernel_step = 8;
  model.flag_ns = 3000;
  model.dma_launch_ns = 12'000;
  model.dma_gbps = 50;
  model.dma_local_gbps = 2000;
  model.slowdown["compute_bound"] = kept_by({112, 120, 128, 132}, 1);
  model.slowdown["compute_bound_beside"] = kept_by({100, 116, 124, 132}, 1.1);
  model.slowdown["memory_bound"] = kept_by({112, 120, 128, 132}, 0.3);
  model.slowdown["memory_bound_beside"] = kept_by({100, 116, 124, 132}, 0.4);
  for (const char* const name : {"all_gather", "all_to_all"}) {
    machine.baseline[name] = {{10'000, 1 / 80.0}, 16};
    model.slowdown[name] = {{4, 4}, {8, 2}, {16, 1}};
  }
  model.beside["compute_bound"]["all_gather"] = {1.3, 1.1, 0, 1.5, 1.2};
  model.beside["compute_bound"]["all_to_all"] = {1.4, 1.1, 1.2, 1.3, 1.2, 2};
  model.beside["memory_bound"]["all_gather"] = {1.2, 1.05, 0, 1.3, 1.4};
  model.beside["memory_bound"]["all_to_all"] = {1.5, 1.05, 1.1, 1.6, 1.4, 3};
  return machine;
}

/// The same with kernels that take any number of units, a few beside another.
inline Machine known_sharing_machine() {
  Machine machine = known_machine();
  machine.model.kernel_step = 0;
  machine.model.late_share = 0.06;
  return machine;
}

inline Sample sample_of(Nanoseconds time) {
  Sample sample;
  sample.ms = {to_ms(time), to_ms(time), to_ms(time), 5};
  return sample;
}

inline Sample gemm_sample(const Machine& machine, const GemmSpec& gemm, int given_up) {
  const std::array tasks{gemm_cost(machine, gemm)};
  const auto share = share_without(device_shape(machine), given_up);
  Sample sample = sample_of(simulated_time(machine, plan_of({task_lane(0, share.value())}), tasks));
  sample.gemm = gemm;
  sample.budget = given_up;
  return sample;
}

inline Sample collective_sample(const Machine& machine, const CollectiveTime& size,
                                plan::Collective collective, std::string_view how, int limit) {
  plan::Method method;
  method.form = how == kOnDma ? plan::Form::dma : plan::Form::compute;
  method.engines = machine.device.dma_engines;
  method.own_block = device_shape(machine).own_block;
  if (limit > 0) method.share = {plan::Share::Kind::only, limit};
  const bool gathers = collective == plan::Collective::all_gather;
  const plan::Request request{collective, machine.devices,
                              size.bytes / static_cast<Bytes>(machine.devices),
                              gathers ? plan::Placement::in_place : plan::Placement::out_of_place};
  Sample sample = sample_of(simulated_time(machine, plan::build(request, method), {}));
  sample.kind = Sample::Kind::collective;
  sample.collective = collective;
  sample.bytes = size.bytes;
  sample.how = how;
  sample.budget = limit;
  return sample;
}

inline std::vector<int> budgets_of(const Strategy& strategy, std::span<const int> limits) {
  if (strategy.budget == BudgetKind::none) return {0};
  if (strategy.budget == BudgetKind::gemm_gives) return {0, 4, 12, 20};
  return {limits.begin(), limits.end()};
}

/// What the model says of all strategies, each with all budgets.
inline void add_together(const Machine& machine, const Sample& frame, std::span<const int> limits,
                         std::vector<Sample>& samples) {
  std::vector<MeasuredRow> rows;
  for (const Strategy& strategy : strategies()) {
    for (const int budget : budgets_of(strategy, limits)) {
      rows.push_back({"",
                      to_string(frame.gemm),
                      frame.gemm,
                      frame.collective,
                      frame.bytes,
                      machine.devices,
                      std::string(strategy.name),
                      budget,
                      {},
                      {1, 1, 1}});
    }
  }
  for (const ComparedRow& row : compare(machine, rows).rows) {
    Sample sample = frame;
    sample.kind = Sample::Kind::together;
    sample.how = row.measured.strategy;
    sample.budget = row.measured.budget;
    sample.ms = {row.predicted.t_c3_ms, row.predicted.t_c3_ms, row.predicted.t_c3_ms, 5};
    samples.push_back(sample);
  }
}

inline void add_collectives(const Machine& machine, plan::Collective collective,
                            std::span<const int> limits, std::vector<Sample>& samples) {
  for (const Bytes bytes : kSizes) {
    samples.push_back(collective_sample(machine, {bytes}, collective, kOnDma, 0));
    samples.push_back(collective_sample(machine, {bytes}, collective, kOnKernels, 0));
    for (const int limit : limits) {
      samples.push_back(collective_sample(machine, {bytes}, collective, kOnKernels, limit));
    }
  }
}

/// `limits` on the units of kernels.
inline std::vector<Sample> samples_of(const Machine& machine, std::span<const int> limits) {
  std::vector<Sample> samples;
  std::vector<GemmSpec> gemms(kComputeGemms.begin(), kComputeGemms.end());
  gemms.insert(gemms.end(), kMemoryGemms.begin(), kMemoryGemms.end());
  for (const GemmSpec& gemm : gemms) {
    for (const int given : kGivenUp) samples.push_back(gemm_sample(machine, gemm, given));
  }
  for (const auto collective : plan::all_collectives()) {
    add_collectives(machine, collective, limits, samples);
    for (std::size_t i = 0; i < gemms.size(); ++i) {
      Sample frame;
      frame.gemm = gemms[i];
      frame.collective = collective;
      frame.bytes = kSizes[i % kSizes.size()];
      add_together(machine, frame, limits, samples);
    }
  }
  return samples;
}

inline constexpr std::array kLimits = {4, 8, 16, 32};
inline constexpr std::array kWholeSteps = {8, 16, 32};
inline constexpr const char* kSource = "measured on a day";

inline Machine fitted(std::span<const Sample> samples) {
  return fit_profile(probed_machine(), samples, kSource);
}

/// Together with the least budget alone: a fit takes as long as it has times together.
inline std::vector<Sample> few_samples(std::span<const int> limits) {
  auto samples = samples_of(known_machine(), limits);
  std::erase_if(samples, [&](const Sample& s) {
    return s.kind == Sample::Kind::together && s.budget > limits.front();
  });
  return samples;
}

/// Without times together.
inline std::vector<Sample> samples_alone(std::span<const int> limits) {
  auto samples = samples_of(known_machine(), limits);
  std::erase_if(samples, [](const Sample& s) { return s.kind == Sample::Kind::together; });
  return samples;
}

}  // namespace conccl::c3
