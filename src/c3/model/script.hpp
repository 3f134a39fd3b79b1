// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A plan as the simulator runs it: per lane, what to raise, what to wait for, and works, which
/// take time and use resources.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "c3/model/grants.hpp"
#include "c3/model/loads.hpp"
#include "c3/model/symmetry.hpp"
#include "conccl/c3/model/simulate.hpp"

namespace conccl::c3 {

/// `pause` is the time until a flag is seen.
enum class WorkKind : std::uint8_t { task, kernels, dma, pause };

/// A task, one copy of a DMA lane, or a kernel that makes all copies of a lane between two fences.
struct Work {
  WorkKind kind = WorkKind::task;
  int device = 0;
  int lane = 0;  ///< of the script
  int step = 0;  ///< the first that it covers
  int steps = 1;
  double latency_ns = 0;  ///< before it moves anything
  double alone_ns = 1;    ///< then, at rate 1
  std::vector<Use> uses;
  std::vector<LinkFill> fills;
  double units_wanted = 0;  ///< 0: it runs on no compute units
  double workgroups = 0;
  const SlowdownTable* slowdown = nullptr;
  BesideFacts beside;  ///< of a task
  /// Of a task: it is no faster on fewer units, as one in a partition can be.
  bool shares_units = false;
  bool local = false;  ///< of a DMA copy: within the device
};

struct Op {
  enum class Kind : std::uint8_t { signal, wait, work } kind = Kind::work;
  int index = 0;  ///< of a flag or of a work
};

struct LaneScript {
  int rank = 0;
  int lane = 0;  ///< of the rank's plan
  plan::Engine engine = plan::Engine::dma;
  UnitClaim claim;  ///< compute lanes
  int launch_rank = 0;
  std::vector<Op> ops;
};

struct Script {
  std::vector<LaneScript> lanes;
  std::vector<Work> works;
  int flags = 0;
  int devices = 0;
  int resources = 0;
  bool one_for_all = false;  ///< rank 0 stands for every rank
};

/// Throws InputError as `simulate` says.
[[nodiscard]] Script make_script(const System& system, const plan::Plan& plan,
                                 std::span<const TaskCost> tasks, Symmetry symmetry);

}  // namespace conccl::c3
