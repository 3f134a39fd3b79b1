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
  double moving = 0;   ///< and what the same kernels move within the device, as if by links
  double dma = 0;      ///< links filled by DMA engines
  double local = 0;    ///< speed of DMA copies within the device
  /// By how much tasks slow the others.
  double slow_kernels = 0;
  double slow_dma = 0;
  double slow_local = 0;
  double slow_launch = 0;
};

/// Its speed if nothing else ran, with the units that it has.
double granted_speed(const Running& running) {
  const Work& work = *running.work;
  if (running.latency_ns > 0) return 0;
  if (work.kind == WorkKind::dma || work.kind == WorkKind::pause) return 1;
  if (work.kind == WorkKind::kernels) return kernel_speed(*work.slowdown, running.units);
  const double speed = task_speed(*work.slowdown, running.units);
  if (!work.shares_units) return speed;
  const bool squeezed = running.units < work.units_wanted && work.beside.gemm_squeezed > 0;
  return std::min(1.0, speed) / (squeezed ? work.beside.gemm_squeezed : 1);
}

/// A factor that is not known changes nothing.
double excess(double factor) { return factor > 0 ? factor - 1 : 0; }

bool is_task(const Running& running) { return running.work->kind == WorkKind::task; }

void add_tasks(std::span<const Running> running, std::span<const double> speeds,
               std::vector<Activity>& devices) {
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (!is_task(running[i])) continue;
    Activity& here = devices[static_cast<std::size_t>(running[i].work->device)];
    const BesideFacts& beside = running[i].work->beside;
    const double speed = std::min(1.0, speeds[i]);
    here.tasks += speed;
    here.slow_kernels += excess(beside.kernels_by_gemm) * speed;
    here.slow_dma += excess(beside.dma_by_gemm) * speed;
    here.slow_local += excess(beside.local_by_gemm) * speed;
    here.slow_launch += excess(beside.dma_launch_by_gemm) * speed;
  }
}

/// How much longer a copy or kernel takes beside the tasks of its device, 1 being twice as long; a
/// kernel that copies within a device uses no links and is left to the shared resources.
double slower_beside(const Work& work, const Activity& here) {
  if (work.kind == WorkKind::pause) return 0;
  if (work.kind == WorkKind::dma) return work.local ? here.slow_local : here.slow_dma;
  return work.fills.empty() ? 0 : here.slow_kernels;
}

void add_links(std::span<const Running> running, std::span<const double> limits,
               std::vector<Activity>& devices) {
  for (std::size_t i = 0; i < running.size(); ++i) {
    const Work& work = *running[i].work;
    if (work.local) devices[static_cast<std::size_t>(work.device)].local += limits[i];
    for (const LinkFill& fill : work.fills) {
      Activity& there = devices[static_cast<std::size_t>(fill.device)];
      double& filled = work.kind == WorkKind::dma ? there.dma : there.kernels;
      filled += fill.share * limits[i];
      if (work.kind == WorkKind::kernels) there.moving += (fill.share + fill.within) * limits[i];
    }
  }
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

double task_limit(const PowerFacts& power, const Work& work, double speed, const Activity& here) {
  const double slower = excess(work.beside.gemm_by_kernels) * here.moving +
                        excess(work.beside.gemm_by_dma) * here.dma +
                        excess(work.beside.gemm_by_local) * here.local;
  return speed * clock_share(power, here) / (1 + slower);
}

}  // namespace

std::vector<Speed> speed_limits(const System& system, std::span<const Running> running,
                                int devices) {
  std::vector<double> limits(running.size());
  std::vector<Speed> speeds(running.size());
  std::transform(running.begin(), running.end(), limits.begin(), granted_speed);
  std::vector<Activity> found(static_cast<std::size_t>(devices));
  const auto here = [&](std::size_t i) -> const Activity& {
    return found[static_cast<std::size_t>(running[i].work->device)];
  };
  add_tasks(running, limits, found);
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (is_task(running[i])) continue;
    const double slower = slower_beside(*running[i].work, here(i));
    limits[i] = std::min(1.0, limits[i] / (1 + slower));
    const bool dma = running[i].work->kind == WorkKind::dma;
    speeds[i].latency = 1 / (1 + (dma ? here(i).slow_launch : slower));
  }
  add_links(running, limits, found);
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (!is_task(running[i])) continue;
    limits[i] = task_limit(system.model().power, *running[i].work, limits[i], here(i));
  }
  for (std::size_t i = 0; i < running.size(); ++i) speeds[i].limit = limits[i];
  return speeds;
}

double traffic_scale(const Running& running) {
  if (running.work->kind != WorkKind::task || running.work->shares_units) return 1;
  const double speed = task_speed(*running.work->slowdown, running.units);
  return speed > 1 ? 1 / speed : 1;
}

}  // namespace conccl::c3
