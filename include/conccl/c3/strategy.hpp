// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Strategies: ways to run a GEMM and a collective together. Each is a plan with one compute lane
/// and communication lanes, so nothing that runs or checks plans knows their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conccl/plan/build.hpp"

namespace conccl::c3 {

/// Who is enqueued first. The later side is gated by a flag that the first raises just before its
/// first work, so that the order is what the name says.
enum class Order {
  gemm_then_comm,  ///< one after the other, no overlap
  gemm_first,
  comm_first,
  together,  ///< released side by side: they need nothing of each other's
};

/// What a strategy's budget counts, if it has one.
enum class BudgetKind {
  none,
  comm_units,  ///< k compute units for the collective, the rest for the GEMM
  gemm_gives,  ///< r compute units that the GEMM leaves idle
};

struct Strategy {
  std::string_view name;
  std::string_view what;  ///< one line for people
  plan::Form form = plan::Form::compute;
  Order order = Order::gemm_first;
  plan::Priority comm_priority = plan::Priority::normal;
  BudgetKind budget = BudgetKind::none;

  friend bool operator==(const Strategy&, const Strategy&) = default;
};

/// In the order of reports: serial, c3_base, c3_sp, c3_rp, c3_sp_rp, conccl, conccl_rp.
[[nodiscard]] const std::vector<Strategy>& strategies();
/// Throws InputError listing the known names.
[[nodiscard]] const Strategy& find_strategy(std::string_view name);

/// What a strategy needs to know of the device.
struct DeviceShape {
  int compute_units = 0;
  int dma_engines = 0;
};

/// Why the strategy cannot run on such a device with this budget; empty when it can.
[[nodiscard]] std::string why_not(const Strategy& strategy, const DeviceShape& device, int budget);

/// Budgets worth a try on such a device, ascending: for comm_units 1 .. n-1 (powers of two beyond 8
/// units), for gemm_gives also 0; {0} for strategies without one.
[[nodiscard]] std::vector<int> budgets_to_sweep(const Strategy& strategy,
                                                const DeviceShape& device);

/// The one task of a C3 plan, index 0.
inline constexpr std::string_view kGemmTask = "gemm";

/// What runs: the strategy on `request`, with `budget` as its kind says (0 for `none`).
struct C3Request {
  Strategy strategy;
  plan::Request request;
  DeviceShape device;
  int budget = 0;
  plan::Direction direction = plan::Direction::push;
};

/// The plan without lanes; its flags are those of the collective and one gate.
[[nodiscard]] plan::Plan c3_frame(const C3Request& request);
/// The lanes of one rank: the collective's, then the GEMM's, labelled "gemm". Throws InputError
/// with the reason of `why_not`.
[[nodiscard]] plan::RankPlan c3_rank(const C3Request& request, int rank);
/// The lanes of all ranks.
[[nodiscard]] plan::Plan c3_plan(const C3Request& request);

/// The isolated halves, for T_gemm and T_comm: the GEMM on `share`, and the collective alone in a
/// form with the whole device.
[[nodiscard]] plan::RankPlan gemm_alone(const plan::Share& share);

}  // namespace conccl::c3
