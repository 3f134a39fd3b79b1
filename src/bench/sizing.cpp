// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/sizing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/peers/attached_peers.hpp"
#include "bench/workload.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

constexpr Bytes kBlockStep = 64;
constexpr Bytes kLargestScaledTotal = 512 * kMiB;
constexpr double kFirstGuessNsPerByte = 4;
constexpr double kFirstGuessFlops = 1e8;
constexpr double kCloseEnough = 0.15;
constexpr int kFitAttempts = 5;
constexpr int kTimedRuns = 5;

/// Scales the dimensions that are not yet at the least one; true when a further one got there.
bool scale_free(std::array<double, 3>& dims, std::array<bool, 3>& held, double flops) {
  double fixed = 2;
  double free_product = 1;
  int free_count = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (held[i]) fixed *= dims[i];
    if (!held[i]) free_product *= dims[i];
    if (!held[i]) ++free_count;
  }
  if (free_count == 0) return false;
  const double factor = std::pow(flops / (fixed * free_product), 1.0 / free_count);
  bool clamped = false;
  for (std::size_t i = 0; i < 3; ++i) {
    if (held[i]) continue;
    dims[i] *= factor;
    if (dims[i] >= kLeastDimension) continue;
    dims[i] = kLeastDimension;
    held[i] = clamped = true;
  }
  return clamped;
}

/// The median of a few runs, which is also what the rounds report.
Nanoseconds typical_time(Workload& workload, const Configuration& configuration) {
  std::vector<double> times;
  for (int run = 0; run < kTimedRuns; ++run) {
    times.push_back(static_cast<double>(workload.run_unchecked(configuration).count()));
  }
  return Nanoseconds(std::llround(median(times)));
}

}  // namespace

GemmShape scale_gemm(const GemmShape& shape, double flops) {
  std::array<double, 3> dims{static_cast<double>(shape.m), static_cast<double>(shape.n),
                             static_cast<double>(shape.k)};
  std::array<bool, 3> held{};
  while (scale_free(dims, held, flops)) {
  }
  const auto rounded = [](double value) {
    return std::max(kLeastDimension, static_cast<std::int64_t>(std::llround(value)));
  };
  return {rounded(dims[0]), rounded(dims[1]), rounded(dims[2])};
}

plan::Request request_for(plan::Collective collective, int ranks, Bytes block) {
  const auto placement = collective == plan::Collective::all_gather ? plan::Placement::in_place
                                                                    : plan::Placement::out_of_place;
  return {collective, ranks, block, placement};
}

Configuration collective_alone(const plan::Request& request, const plan::Method& method) {
  const plan::Plan whole = plan::build(request, method);
  return {whole.algorithm, request, whole.flags, whole.ranks};
}

Configuration dma_alone(const plan::Request& request, const c3::DeviceShape& device) {
  plan::Method method;
  method.form = plan::Form::dma;
  method.engines = device.dma_engines;
  method.own_block = device.own_block;
  return collective_alone(request, method);
}

Configuration gemm_alone(const plan::Request& request, const plan::Share& share) {
  Configuration configuration{"gemm alone", request, 0, {}};
  configuration.lanes.assign(static_cast<std::size_t>(request.ranks), c3::gemm_alone(share));
  return configuration;
}

std::vector<std::unique_ptr<backend::Gemm>> make_gemms(const Rig& rig, const GemmSpec& spec,
                                                       std::uint64_t seed) {
  std::vector<std::unique_ptr<backend::Gemm>> gemms;
  const Ranks& ranks = rig.ranks();
  for (std::size_t local = 0; local < ranks.local_count(); ++local) {
    const auto rank = static_cast<std::uint64_t>(ranks.rank_of(local));
    gemms.push_back(ranks.device(local).make_gemm(spec, seed + rank));
  }
  return gemms;
}

Sizer::Sizer(Rig& rig, Peers& peers, const StudyOptions& options,
             const backend::Capabilities& capabilities)
    : rig_(rig),
      peers_(peers),
      options_(options),
      scaled_(capabilities.emulation && options.sizes == SizePolicy::scaled),
      offers_(capabilities.gemms) {}

Nanoseconds Sizer::time_gemm(const GemmSpec& spec) {
  const auto gemms = make_gemms(rig_, spec, options_.seed);
  Workload workload(
      rig_, request_for(plan::Collective::all_gather, rig_.ranks().size(), kBlockStep), gemms);
  return typical_time(workload, gemm_alone(workload.request(), {}));
}

GemmSpec Sizer::fit_gemm(const GemmSpec& spec) {
  const auto key = to_string(spec);
  if (const auto found = gemms_.find(key); found != gemms_.end()) return found->second;
  GemmSpec fitted{spec.shape, offers_.at(spec.type).runs_as};
  if (scaled_) fitted.shape = scale_gemm(spec.shape, kFirstGuessFlops);
  Nanoseconds time = time_gemm(fitted);
  for (int attempt = 1; scaled_ && attempt < kFitAttempts; ++attempt) {
    const double ratio = options_.gemm_target.count() / to_ms(time);
    if (std::abs(ratio - 1) < kCloseEnough) break;
    fitted.shape = scale_gemm(spec.shape, flops(fitted.shape) * ratio);
    time = time_gemm(fitted);
  }
  gemm_times_[key] = time;
  return gemms_[key] = fitted;
}

Nanoseconds Sizer::time_collective(plan::Collective collective, Bytes block) {
  const std::vector<std::unique_ptr<backend::Gemm>> no_gemms;
  Workload workload(rig_, request_for(collective, rig_.ranks().size(), block), no_gemms);
  if (peers_.find(c3::Carrier::vendor_kernels) == nullptr) {
    plan::Method method;
    method.form = plan::Form::compute;
    return typical_time(workload, collective_alone(workload.request(), method));
  }
  AttachedPeers attached(peers_, workload);
  const auto time = typical_time(workload, attached.alone(c3::Carrier::vendor_kernels));
  attached.detach();
  return time;
}

Bytes Sizer::fit_block(plan::Collective collective, Nanoseconds target) {
  const Bytes largest = kLargestScaledTotal / static_cast<Bytes>(rig_.ranks().size());
  const auto rounded = [&](double bytes) {
    const auto whole = static_cast<Bytes>(std::min(bytes, static_cast<double>(largest)));
    return std::max(kBlockStep, whole / kBlockStep * kBlockStep);
  };
  const double wanted = static_cast<double>(target.count());
  const auto entry = ns_per_byte_.try_emplace(collective, kFirstGuessNsPerByte).first;
  Bytes block = rounded(wanted / entry->second);
  for (int attempt = 0; attempt < kFitAttempts; ++attempt) {
    const double time = static_cast<double>(time_collective(collective, block).count());
    entry->second = time / static_cast<double>(block);
    const Bytes better = rounded(wanted / entry->second);
    if (std::abs(wanted / time - 1) < kCloseEnough || better == block) break;
    block = better;
  }
  return block;
}

Size Sizer::size_of(const c3::Scenario& scenario) {
  Size size{fit_gemm(scenario.gemm), 0};
  const auto ranks = static_cast<Bytes>(rig_.ranks().size());
  if (const auto bytes = c3::bytes_among(scenario, rig_.ranks().size()); !scaled_ && bytes) {
    size.block = *bytes / ranks;
  } else {
    const double ratio = scaled_ ? c3::ratio_on(options_.reference, scenario) : *scenario.ratio;
    const Milliseconds target{ratio * to_ms(gemm_times_.at(to_string(scenario.gemm)))};
    size.block = fit_block(scenario.collective, std::chrono::duration_cast<Nanoseconds>(target));
  }
  if (size.block == 0) {
    throw InputError(fmt::format("scenario {}: its bytes are fewer than its {} ranks",
                                 scenario.name, rig_.ranks().size()));
  }
  return size;
}

}  // namespace conccl::bench
