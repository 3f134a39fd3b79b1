// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/profile_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "c3/roofline_terms.hpp"
#include "conccl/c3/roofline.hpp"
#include "conccl/c3/taxonomy.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

constexpr double kNsPerMs = 1e6;
/// Units from which more make a collective faster by less than this are of no use to it.
constexpr double kNoGain = 1.05;
/// A limit on units that costs more is what bounds the collective.
constexpr double kStillBound = 1.25;

double mean_error(std::span<const GemmTimes> gemms, const Machine& machine) {
  double sum = 0;
  for (const GemmTimes& gemm : gemms) {
    const double predicted = to_ms(roofline_gemm(machine, gemm.gemm));
    sum += std::abs(std::log(predicted / gemm.alone()));
  }
  return sum / static_cast<double>(gemms.size());
}

/// Units left and slowdown, where the GEMM's units are a partition themselves or stand beside one.
SlowdownTable table_of(const GemmTimes& gemm, const DeviceShape& device, bool beside) {
  SlowdownTable table;
  for (auto given = gemm.slowdown.rbegin(); given != gemm.slowdown.rend(); ++given) {
    const auto share = share_without(device, given->first);
    if (!share) continue;
    const bool is_beside = share->kind == plan::Share::Kind::all_but;
    if (given->first != 0 && is_beside != beside) continue;
    table.push_back({device.compute_units - given->first, rounded(given->second)});
  }
  return table;
}

SlowdownTable median_of(const std::vector<SlowdownTable>& tables) {
  std::map<int, std::vector<double>> factors;
  for (const auto& table : tables) {
    for (const auto& point : table) factors[point.units].push_back(point.factor);
  }
  SlowdownTable found;
  for (const auto& [units, list] : factors) found.push_back({units, rounded(median(list))});
  return found;
}

/// Of the GEMMs of one kind; of all where there are none.
void add_kind(Fit& fit, std::span<const GemmTimes> gemms, GemmBound bound,
              const std::string& kind) {
  const DeviceShape device = device_shape(fit.machine);
  std::vector<GemmTimes> chosen;
  for (const GemmTimes& gemm : gemms) {
    if (bound_of(fit.machine, gemm.gemm) == bound) chosen.push_back(gemm);
  }
  const std::string how =
      fmt::format("medians of {} GEMMs{}", chosen.empty() ? gemms.size() : chosen.size(),
                  chosen.empty() ? ", none of which is of this kind" : "");
  if (chosen.empty()) chosen.assign(gemms.begin(), gemms.end());
  std::vector<SlowdownTable> alone;
  std::vector<SlowdownTable> beside;
  for (const GemmTimes& gemm : chosen) {
    alone.push_back(table_of(gemm, device, false));
    beside.push_back(table_of(gemm, device, true));
  }
  fit.set_table(kind, median_of(alone), how);
  fit.set_table(kind + "_beside", median_of(beside), how + ", beside a partition");
}

/// How much longer it takes on `limit` units, latency apart, over all sizes together: so the large
/// ones count most, which are bound by units most.
double slowdown_by(const Fit& fit, plan::Collective collective, int limit) {
  const auto whole = collective_times(fit.samples, {collective, kOnKernels, 0});
  const double latency =
      fit.machine.baseline.at(std::string(plan::name_of(collective))).cost.fixed_ns;
  double limited = 0;
  double free = 0;
  for (const auto& [bytes, ms] : collective_times(fit.samples, {collective, kOnKernels, limit})) {
    const auto alone = whole.find(bytes);
    if (alone == whole.end() || alone->second * kNsPerMs < 2 * latency) continue;
    limited += ms * kNsPerMs - latency;
    free += alone->second * kNsPerMs - latency;
  }
  return free > 0 ? limited / free : 1;
}

/// Units bound it up to the last limit that costs much; from there on its speed is in proportion
/// until it fills what bounds it then, or has all units. Units beyond that are room.
SlowdownTable up_to_full(const SlowdownTable& limits, int device_units) {
  SlowdownTable table;
  for (const SlowdownPoint& limit : limits) {
    if (limit.factor > kStillBound) table.push_back(limit);
  }
  if (table.empty()) return {{limits.empty() ? device_units : limits.front().units, 1}};
  const SlowdownPoint last = table.back();
  const double full = last.units * last.factor;
  if (full > device_units) {
    table.push_back({device_units, rounded(full / device_units)});
  } else {
    table.push_back({std::max(last.units + 1, static_cast<int>(std::lround(full))), 1});
  }
  return table;
}

void add_kernel_units(Fit& fit, plan::Collective collective) {
  const std::string name(plan::name_of(collective));
  SlowdownTable limits;
  int wanted = fit.machine.device.compute_units;
  for (const int limit : kernel_limits(fit.samples, collective)) {
    limits.push_back({limit, std::max(1.0, rounded(slowdown_by(fit, collective, limit)))});
    if (limits.back().factor < kNoGain) wanted = std::min(wanted, limit);
  }
  fit.machine.baseline[name].compute_units = wanted;
  fit.cite("baseline." + name + ".compute_units",
           "of the limits that were tried, the first that costs less than 5 %");
  fit.set_table(name, up_to_full(limits, fit.machine.device.compute_units),
                "what the limits cost over all sizes");
}

LinearCost line_of(const std::map<Bytes, double>& times, std::string_view what) {
  if (times.size() < 2) {
    throw InputError(fmt::format("samples: {} sizes of {}; expected two", times.size(), what));
  }
  std::vector<CostSample> samples;
  for (const auto& [bytes, ms] : times) {
    samples.push_back({bytes, whole_ns(ms * kNsPerMs)});
  }
  LinearCost line = fit_linear_cost(samples);
  if (!(line.ns_per_byte > 0)) {
    // Noise hid the bytes: the largest says most of them.
    const auto& [bytes, ms] = *times.rbegin();
    line = {0, ms * kNsPerMs / static_cast<double>(bytes)};
  }
  line.fixed_ns = std::round(line.fixed_ns);
  line.ns_per_byte = 1 / rounded(1 / line.ns_per_byte);
  return line;
}

std::string spread_note(std::span<const Sample> samples, plan::Collective collective) {
  double most = 0;
  for (const Sample& sample : samples) {
    if (is_of(sample, {collective, kOnKernels, 0})) {
      most = std::max(most, (sample.ms.max - sample.ms.min) / sample.ms.median);
    }
  }
  return fmt::format("medians; rounds of one size differ by up to {:.0f} %", 100 * most);
}

/// More bytes take no less time: of neighbours that say otherwise, their mean (the nearest times
/// that never fall, by least squares). In whole nanoseconds.
void level_falls(std::vector<CollectiveTime>& times) {
  struct Level {
    double sum = 0;
    std::size_t count = 0;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Level> levels;
  for (const CollectiveTime& time : times) {
    levels.push_back({time.ns, 1});
    while (levels.size() > 1 && levels.back().mean() < levels[levels.size() - 2].mean()) {
      const Level last = levels.back();
      levels.pop_back();
      levels.back().sum += last.sum;
      levels.back().count += last.count;
    }
  }
  auto time = times.begin();
  for (const Level& level : levels) {
    for (std::size_t i = 0; i < level.count; ++i) (time++)->ns = std::round(level.mean());
  }
}

void add_kernels(Fit& fit, plan::Collective collective) {
  const std::string name(plan::name_of(collective));
  const auto times = collective_times(fit.samples, {collective, kOnKernels, 0});
  CollectiveFacts& facts = fit.machine.baseline[name];
  facts.cost = line_of(times, name + " on kernels");
  facts.times.clear();
  for (const auto& [bytes, ms] : times) facts.times.push_back({bytes, ms * kNsPerMs});
  level_falls(facts.times);
  const std::string line = fmt::format("least squares over {} sizes", times.size());
  fit.cite("baseline." + name + ".cost.fixed_ns", line);
  fit.cite("baseline." + name + ".cost.ns_per_byte", line);
  fit.cite("baseline." + name + ".times", spread_note(fit.samples, collective));
  add_kernel_units(fit, collective);
}

}  // namespace

void fit_gemms(Fit& fit) {
  const auto gemms = gemm_times(fit.samples);
  if (gemms.empty()) throw InputError("samples: no GEMM alone; expected some");
  Machine& machine = fit.machine;
  ModelFacts& model = machine.model;
  machine.device.gemm_efficiency = 1;
  model.memory_efficiency = 1;
  model.gemm_serial = 1;
  model.gemm_launch_ns = 1;
  const std::array figures{
      Searched{&machine.device.gemm_efficiency, 0.3, 1}, Searched{&model.memory_efficiency, 0.3, 1},
      Searched{&model.gemm_serial, 0.01, 1}, Searched{&model.gemm_launch_ns, 1, 20'000}};
  search(figures, [&] { return mean_error(gemms, machine); }, 4);
  const std::string how = fmt::format("least mean error over {} GEMMs: {:.1f} %", gemms.size(),
                                      100 * mean_error(gemms, machine));
  for (const char* field : {"device.gemm_efficiency", "model.memory_efficiency",
                            "model.gemm_serial", "model.gemm_launch_ns"}) {
    fit.cite(field, how);
  }
  add_kind(fit, gemms, GemmBound::compute, "compute_bound");
  add_kind(fit, gemms, GemmBound::memory, "memory_bound");
  const DeviceShape device = device_shape(machine);
  for (const GemmTimes& gemm : gemms) {
    model.gemms.push_back({gemm.gemm, std::round(gemm.alone() * kNsPerMs),
                           table_of(gemm, device, false), table_of(gemm, device, true)});
    fit.cite(source_field(gemm.gemm), fmt::format("median{}; {:.4g} to {:.4g} ms in {} rounds",
                                                  gemm.rested ? " of runs after pauses" : "",
                                                  gemm.spread.min, gemm.spread.max, gemm.spread.n));
  }
}

void fit_kernels(Fit& fit) {
  for (const auto collective : plan::all_collectives()) {
    if (!collective_times(fit.samples, {collective, kOnKernels, 0}).empty()) {
      add_kernels(fit, collective);
    }
  }
}

void fit_dma(Fit& fit) {
  const auto times = collective_times(fit.samples, {plan::Collective::all_gather, kOnDma, 0});
  if (times.empty()) return;
  Machine& machine = fit.machine;
  const LinearCost line = line_of(times, "all_gather on DMA engines");
  const double peers = machine.devices - 1;
  const double out_gbps = peers / (machine.devices * line.ns_per_byte);
  ModelFacts& model = machine.model;
  model.dma_launch_ns = std::max(1.0, std::round(line.fixed_ns));
  model.dma_gbps =
      rounded(out_gbps / std::min<double>(peers, std::max(1, machine.device.dma_engines)));
  // The memory's rate was probed by such a copy, and counts its reads and writes.
  model.dma_local_gbps = rounded(machine.device.memory_gbps / 2);
  fit.machine.sources["model.dma_local_gbps"] =
      "half of device.memory_bandwidth: " + machine.sources["device.memory_gbps"];
  model.link_efficiency = std::min(1.0, rounded(out_gbps / machine.link.device_gbps));
  const std::string how =
      fmt::format("least squares over {} sizes of all_gather on DMA engines", times.size());
  for (const char* field : {"model.dma_launch_ns", "model.dma_gbps", "model.link_efficiency"}) {
    fit.cite(field, how);
  }
}

}  // namespace conccl::c3
