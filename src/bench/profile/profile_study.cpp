// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/profile/profile_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "bench/attribution/attribution_rounds.hpp"
#include "bench/sustained/sustained_rounds.hpp"
#include "conccl/c3/model/predict.hpp"

namespace conccl::bench {
namespace {

using c3::Sample;

constexpr int kWarmup = 1;
constexpr int kClockRounds = 3;
constexpr int kRestedRuns = 3;
/// Runs in a tenth of the time are too few for a limit on mean power: on H200s such times after the
/// rounds of one collective and of another agree within 0.6 %.
constexpr double kPauseOverRun = 10;
constexpr Milliseconds kLeastPause{20};

Sample of_kind(Sample sample, Sample::Kind kind, std::string_view how, int budget) {
  sample.kind = kind;
  sample.how = how;
  sample.budget = budget;
  return sample;
}

}  // namespace

ProfileStudy::ProfileStudy(const ProfileParts& parts, const c3::DeviceShape& device,
                           std::vector<c3::Strategy> strategies, Profile& profile)
    : rig_(parts.rig),
      peers_(parts.peers),
      capabilities_(parts.capabilities),
      options_(parts.options),
      interrupt_(parts.interrupt),
      device_(device),
      strategies_(std::move(strategies)),
      profile_(profile) {
  if (peers_.find(c3::Carrier::vendor_kernels) == nullptr) return;
  std::erase_if(strategies_, [](const c3::Strategy& strategy) {
    return strategy.carrier == c3::Carrier::own && strategy.form == plan::Form::compute;
  });
}

int ProfileStudy::round_count() const { return kWarmup + options_.study.rounds; }

std::vector<int> ProfileStudy::budgets(c3::BudgetKind kind) const {
  std::set<int> all;
  for (const auto& strategy : strategies_) {
    if (strategy.budget != kind) continue;
    for (const int budget : c3::budgets_to_sweep(strategy, device_)) all.insert(budget);
  }
  return {all.begin(), all.end()};
}

void ProfileStudy::add_gemms(const Stage& stage, std::vector<Entry>& entries) const {
  std::set<int> given_up{0};
  for (const auto kind : {c3::BudgetKind::gemm_gives, c3::BudgetKind::comm_units}) {
    if (stage.extent == Extent::brief) break;
    for (const int budget : budgets(kind)) given_up.insert(budget);
  }
  for (const int budget : given_up) {
    const auto share = c3::share_without(device_, budget);
    if (!share) continue;
    entries.push_back(
        {of_kind(stage.frame, Sample::Kind::gemm, "", budget),
         {gemm_alone(stage.workload.request(), *share), {Parts::Kind::gemm}, {}, {}}});
  }
}

void ProfileStudy::add_collectives(const Stage& stage, const AttachedPeers& peers,
                                   std::vector<Entry>& entries) const {
  const plan::Request& request = stage.workload.request();
  const auto add = [&](std::string_view how, int budget, Configuration configuration) {
    entries.push_back({of_kind(stage.frame, Sample::Kind::collective, how, budget),
                       {std::move(configuration), {Parts::Kind::comm}, {}, {}}});
  };
  if (device_.dma_engines > 0) add(c3::kOnDma, 0, dma_alone(request, device_));
  if (peers_.find(c3::Carrier::vendor_copies) != nullptr) {
    add(c3::kOnVendorCopies, 0, peers.alone(c3::Carrier::vendor_copies));
  }
  std::vector<int> limits;
  if (stage.extent == Extent::full) limits = budgets(c3::BudgetKind::comm_units);
  limits.insert(limits.begin(), 0);
  const bool vendor = peers_.find(c3::Carrier::vendor_kernels) != nullptr;
  for (const int limit : limits) {
    plan::Method ours;
    ours.form = plan::Form::compute;
    if (limit > 0) ours.share = {plan::Share::Kind::only, limit};
    add(c3::kOnKernels, limit,
        vendor ? peers.alone(c3::Carrier::vendor_kernels, limit) : collective_alone(request, ours));
  }
}

void ProfileStudy::add_together(const Stage& stage, const AttachedPeers& peers,
                                std::vector<Entry>& entries) const {
  for (const auto& strategy : strategies_) {
    if (stage.extent != Extent::full && strategy.name == "serial") continue;
    for (const int budget : c3::budgets_to_sweep(strategy, device_)) {
      entries.push_back({of_kind(stage.frame, Sample::Kind::together, strategy.name, budget),
                         {peers.together({strategy, stage.workload.request(), device_, budget,
                                          plan::Direction::push}),
                          {Parts::Kind::both},
                          {},
                          {}}});
    }
  }
}

void ProfileStudy::measure(const Stage& stage, std::vector<Entry>& entries) {
  std::vector<Measurement> measurements;
  for (auto& entry : entries) {
    auto& name = entry.measurement.configuration.name;
    name = fmt::format("{}{} of {} bytes: {}",
                       stage.gemms.empty() ? "" : to_string(entry.sample.gemm) + " beside ",
                       plan::name_of(entry.sample.collective), entry.sample.bytes, name);
    measurements.push_back(entry.measurement);
  }
  const Seconds span =
      measure_rounds(stage.workload, measurements, {kWarmup, options_.study.rounds}, stage.random,
                     stage.after_round);
  const double gemm_ms = stage.gemms.empty() ? 0 : median(measurements.front().times_ms);
  const double share = gemm_share(measurements, gemm_ms, span);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].measurement = std::move(measurements[i]);
    entries[i].sample.ms = summarize(entries[i].measurement.times_ms);
    if (entries[i].measurement.parts.has_gemm()) entries[i].sample.gemm_share = share;
    profile_.samples.push_back(entries[i].sample);
    profile_.check += entries[i].measurement.counts;
  }
}

void ProfileStudy::rest(const Stage& stage, const Entry& gemm) {
  const Milliseconds run{gemm.sample.ms.median};
  std::vector<Measurement> rested{{gemm.measurement.configuration, gemm.measurement.parts, {}, {}}};
  const auto pause = std::max(kLeastPause, kPauseOverRun * run);
  Seconds span{};
  for (int i = 0; i < kRestedRuns; ++i) {
    std::this_thread::sleep_for(pause);
    span += pause + measure_rounds(stage.workload, rested, {0, 1}, stage.random, [] {});
  }
  Sample sample = gemm.sample;
  sample.how = c3::kRested;
  sample.ms = summarize(rested.front().times_ms);
  sample.gemm_share = gemm_share(rested, sample.ms.median, span);
  profile_.samples.push_back(sample);
  profile_.check += rested.front().counts;
}

void ProfileStudy::look_at_power(const Stage& stage, const std::vector<Entry>& entries) {
  const bool is_long = entries.front().sample.ms.median >= kLongMs;
  if (capabilities_.emulation || !is_long) return;
  rest(stage, entries.front());
  if (stage.extent != Extent::full) return;
  SustainedOptions options;
  options.each = options_.sustained;
  options.deadline = options_.study.deadline;
  SustainedRounds rounds({rig_.ranks(), stage.workload, stage.gemms, interrupt_}, options);
  const Configuration* on_engines = nullptr;
  for (const auto& entry : entries) {
    const bool gemm = entry.sample.kind == Sample::Kind::gemm && entry.sample.budget == 0;
    const bool conccl = entry.sample.how == "conccl";
    if (conccl) on_engines = &entry.measurement.configuration;
    if (!gemm && !conccl) continue;
    const auto time =
        rounds.run({entry.measurement.configuration.name, entry.measurement.configuration,
                    entry.measurement.parts, entry.sample.ms.median});
    Sample sample = entry.sample;
    sample.how += sample.how.empty() ? c3::kSustained : fmt::format(" {}", c3::kSustained);
    sample.gemm_share = 1;
    sample.ms = {time.mean_ms, time.mean_ms, time.mean_ms, time.runs};
    profile_.samples.push_back(sample);
    profile_.check += time.check;
  }
  if (on_engines != nullptr) read_clocks(stage, *on_engines);
}

void ProfileStudy::read_clocks(const Stage& stage, const Configuration& together) {
  AttributionOptions options;
  options.rounds = kClockRounds;
  AttributionRounds rounds({rig_, stage.workload, stage.gemms, capabilities_}, options);
  const auto found =
      rounds.run({together.name, "conccl", together, dma_alone(stage.workload.request(), device_)},
                 stage.random);
  profile_.check += rounds.checked();
  if (!found.clocks) return;
  profile_.clocks.push_back({stage.frame.gemm, stage.frame.collective, stage.frame.bytes,
                             found.clocks->alone_ghz, found.clocks->together_ghz,
                             found.clocks->alone_zero_ghz});
}

void ProfileStudy::run_on(const Stage& stage, AttachedPeers& peers) {
  std::vector<Entry> entries;
  add_gemms(stage, entries);
  add_collectives(stage, peers, entries);
  add_together(stage, peers, entries);
  measure(stage, entries);
  look_at_power(stage, entries);
}

void ProfileStudy::run(const c3::Scenario& scenario, const Size& size, Extent extent,
                       std::mt19937_64& random, const std::function<void()>& after_round) {
  const auto gemms = make_gemms(rig_, size.gemm, options_.study.seed);
  Workload workload(rig_, request_for(scenario.collective, rig_.ranks().size(), size.block), gemms);
  static_cast<void>(workload.run_unchecked(gemm_alone(workload.request(), {})));
  for (const auto& gemm : gemms) gemm->keep_reference();
  Sample frame;
  frame.gemm = size.gemm;
  frame.collective = scenario.collective;
  frame.bytes = plan::total_bytes(workload.request());
  AttachedPeers peers(peers_, workload);
  try {
    run_on({workload, gemms, frame, extent, random, after_round}, peers);
    peers.detach();
  } catch (...) {
    peers_.give_up();
    throw;
  }
}

void ProfileStudy::run(plan::Collective collective, Bytes bytes, std::mt19937_64& random,
                       const std::function<void()>& after_round) {
  const std::vector<std::unique_ptr<backend::Gemm>> no_gemms;
  const int ranks = rig_.ranks().size();
  const Bytes block = bytes / static_cast<Bytes>(ranks) / c3::kBlockStep * c3::kBlockStep;
  Workload workload(rig_, request_for(collective, ranks, block), no_gemms);
  Sample frame;
  frame.collective = collective;
  frame.bytes = plan::total_bytes(workload.request());
  AttachedPeers peers(peers_, workload);
  try {
    const Stage stage{workload, no_gemms, frame, Extent::full, random, after_round};
    std::vector<Entry> entries;
    add_collectives(stage, peers, entries);
    measure(stage, entries);
    peers.detach();
  } catch (...) {
    peers_.give_up();
    throw;
  }
}

}  // namespace conccl::bench
