// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/attribution/attribution_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "bench/sizing.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {

using backend::Operands;

struct AttributionRounds::Readings {
  std::vector<backend::CycleReading> before;
  std::vector<backend::CycleReading> behind;
  std::unique_ptr<backend::Task> before_task;
  std::unique_ptr<backend::Task> behind_task;
};

struct AttributionRounds::Entry {
  Probe probe;
  Configuration configuration;
  std::optional<Parts> checked;  ///< nullopt: it neither runs the GEMM nor moves what is asked for
  Operands operands = Operands::random;
  Series series;
};

AttributionRounds::AttributionRounds(const AttributionSite& site, const AttributionOptions& options)
    : site_(site), options_(options) {
  if (!site.capabilities.cycle_counters) return;
  for (std::size_t local = 0; local < site.gemms.size(); ++local) {
    auto& device = site.rig.ranks().device(local);
    auto& mine = *readings_.emplace_back(std::make_unique<Readings>());
    mine.before_task = device.make_cycle_reading(mine.before);
    mine.behind_task = device.make_cycle_reading(mine.behind);
    const ReadingTasks tasks{site.workload.add_task(local, *mine.before_task),
                             site.workload.add_task(local, *mine.behind_task)};
    if (local > 0) ensure_equal(tasks.before, reading_tasks_.before, "tasks of the ranks' plans");
    reading_tasks_ = tasks;
  }
}

AttributionRounds::~AttributionRounds() = default;

Configuration AttributionRounds::read(Configuration configuration) const {
  if (readings_.empty()) return configuration;
  return with_readings(std::move(configuration), reading_tasks_);
}

std::vector<AttributionRounds::Entry> AttributionRounds::entries_of(
    const AttributionSubject& subject) const {
  const auto share = gemm_share(subject.together);
  const auto& request = site_.workload.request();
  const auto gemm = gemm_alone(request, share);
  constexpr Parts kGemm{Parts::Kind::gemm};
  constexpr Parts kComm{Parts::Kind::comm};
  constexpr Parts kBoth{Parts::Kind::both};
  std::vector<Entry> entries{
      {Probe::gemm, gemm_alone(request, {}), kGemm, Operands::random, {}},
      {Probe::comm, subject.comm_alone, kComm, Operands::random, {}},
      {Probe::together, subject.together, kBoth, Operands::random, {}},
      {Probe::gemm_read, read(gemm), kGemm, Operands::random, {}},
      {Probe::gemm_zero, read(gemm), kGemm, Operands::zero, {}},
      {Probe::together_read, read(subject.together), kBoth, Operands::random, {}},
      {Probe::together_zero, subject.together, kBoth, Operands::zero, {}},
      {Probe::zero_read, read(subject.together), kBoth, Operands::zero, {}}};
  if (share != plan::Share{}) {
    entries.push_back({Probe::gemm_share, gemm, kGemm, Operands::random, {}});
  }
  if (!has_copies(subject.comm_alone)) return entries;
  entries.push_back(
      {Probe::comm_flags, without_copies(subject.comm_alone), {}, Operands::random, {}});
  entries.push_back(
      {Probe::together_flags, without_copies(subject.together), kGemm, Operands::random, {}});
  auto small = with_small_region(subject.comm_alone, options_.cache_region);
  auto small_together = with_small_region(subject.together, options_.cache_region);
  if (!small || !small_together) return entries;
  entries.push_back({Probe::comm_small, *std::move(small), {}, Operands::random, {}});
  auto small_read = read(*std::move(small_together));
  entries.push_back({Probe::small_read, small_read, kGemm, Operands::random, {}});
  entries.push_back({Probe::small_zero, std::move(small_read), kGemm, Operands::zero, {}});
  return entries;
}

void AttributionRounds::set_operands(Operands operands) {
  for (const auto& gemm : site_.gemms) gemm->set_operands(operands);
}

std::vector<RankTimes> AttributionRounds::measure(const Entry& entry) {
  set_operands(entry.operands);
  for (const auto& mine : readings_) {
    mine->before.clear();
    mine->behind.clear();
  }
  auto& workload = site_.workload;
  const Nanoseconds time = entry.checked
                               ? workload.run_checked(entry.configuration, *entry.checked, checked_)
                               : workload.run_unchecked(entry.configuration);
  const auto lanes = site_.rig.lane_times();
  std::vector<double> local(site_.rig.ranks().local_count());
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    local[i] = clock_ghz(readings_[i]->before, readings_[i]->behind).value_or(0);
  }
  const auto clocks = site_.rig.ranks().gather(local);
  std::vector<RankTimes> times;
  for (std::size_t rank = 0; rank < lanes.size(); ++rank) {
    times.push_back(rank_times(entry.configuration.lanes[rank], lanes[rank]));
    times.back().clock_ghz = clocks[rank];
  }
  std::this_thread::sleep_for(options_.rest * time);
  return times;
}

Attribution AttributionRounds::run(const AttributionSubject& subject, std::mt19937_64& random) {
  auto entries = entries_of(subject);
  for (auto& entry : entries) {
    entry.configuration.name =
        fmt::format("{}: attribution of {}", subject.scenario, subject.strategy);
  }
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int round = -options_.warmup; round < options_.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t index : order) {
      auto times = measure(entries[index]);
      if (round >= 0) entries[index].series.push_back(std::move(times));
    }
  }
  set_operands(Operands::random);
  Probed probed;
  probed.seed = options_.seed;
  for (auto& entry : entries) probed.series[entry.probe] = std::move(entry.series);
  if (has_copies(subject.comm_alone)) {
    probed.copies = probed.series.contains(Probe::small_zero) ? Copies::too_large : Copies::fit;
  }
  Attribution result = attribute(probed);
  result.scenario = subject.scenario;
  result.strategy = subject.strategy;
  return result;
}

}  // namespace conccl::bench
