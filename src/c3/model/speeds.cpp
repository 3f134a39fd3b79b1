// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/speeds.hpp"

#include <algorithm>
#include <cmath>

#include "c3/model/slowdown.hpp"

namespace conccl::c3 {
namespace {

/// What is going on on one device; each is 1 when the device is full of it.
struct Activity {
  double tasks = 0;    ///< speed of tasks, as far as their units go
  double kernels = 0;  ///< links filled by kernels
  double dma = 0;      ///< links filled by DMA engines
};

/// Its speed if nothing else ran, with the units that it has.
double granted_speed(const Running& running) {
  const Work& work = *running.work;
  if (running.latency_ns > 0) return 0;
  if (work.kind == WorkKind::dma) return 1;
  return work.kind == WorkKind::task ? task_speed(*work.slowdown, running.units)
                                     : kernel_speed(*work.slowdown, running.units);
}

/// A factor that is not known changes nothing.
double excess(double factor) { return factor > 0 ? factor - 1 : 0; }

std::vector<Activity> activities(std::span<const Running> running, std::span<const double> speeds,
                                 int devices) {
  std::vector<Activity> found(static_cast<std::size_t>(devices));
  for (std::size_t i = 0; i < running.size(); ++i) {
    const Work& work = *running[i].work;
    if (work.kind == WorkKind::task) {
      found[static_cast<std::size_t>(work.device)].tasks += std::min(1.0, speeds[i]);
    }
    for (const LinkFill& fill : work.fills) {
      Activity& there = found[static_cast<std::size_t>(fill.device)];
      double& filled = work.kind == WorkKind::dma ? there.dma : there.kernels;
      filled += fill.share * std::min(1.0, speeds[i]);
    }
  }
  return found;
}

/// The clock of tasks whose speeds add up to `tasks` while others draw `watts`, at most 1.
double clock_of(const PowerFacts& power, double tasks, double watts) {
  constexpr double kLeast = 0.01;  // a device whose links alone exceed the cap still ends its work
  const double left = (power.cap_w - power.idle_w - watts) / (power.gemm_w * tasks);
  return std::clamp(std::pow(std::max(left, 0.0), 1 / power.exponent), kLeast, 1.0);
}

/// Of a task's speed: its clock beside the device's other work over its clock without it.
double clock_share(const PowerFacts& power, const Activity& here) {
  const bool known = power.cap_w > 0 && power.idle_w > 0 && power.gemm_w > 0 && power.exponent > 0;
  if (!known || !(here.tasks > 0)) return 1;
  const double watts = here.kernels * power.kernels_w + here.dma * power.dma_w;
  return clock_of(power, here.tasks, watts) / clock_of(power, here.tasks, 0);
}

double limit_of(const ModelFacts& model, const Work& work, double speed, const Activity& here) {
  const double kernels = excess(model.beside_kernels);
  const double dma = excess(model.beside_dma);
  if (work.kind == WorkKind::task) {
    return speed * clock_share(model.power, here) / (1 + kernels * here.kernels + dma * here.dma);
  }
  const double factor = work.kind == WorkKind::dma ? dma : kernels;
  const bool local = work.fills.empty();
  return std::min(1.0, local ? speed : speed / (1 + factor * here.tasks));
}

}  // namespace

std::vector<double> speed_limits(const System& system, std::span<const Running> running,
                                 int devices) {
  std::vector<double> limits(running.size());
  std::transform(running.begin(), running.end(), limits.begin(), granted_speed);
  const auto found = activities(running, limits, devices);
  for (std::size_t i = 0; i < running.size(); ++i) {
    const Work& work = *running[i].work;
    limits[i] =
        limit_of(system.model(), work, limits[i], found[static_cast<std::size_t>(work.device)]);
  }
  return limits;
}

double traffic_scale(const Running& running) {
  if (running.work->kind != WorkKind::task) return 1;
  const double speed = task_speed(*running.work->slowdown, running.units);
  return speed > 1 ? 1 / speed : 1;
}

}  // namespace conccl::c3
