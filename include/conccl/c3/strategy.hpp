// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Strategies: ways to run a GEMM and a collective together. Each is a plan with one compute lane
/// and communication lanes, so nothing that runs or checks plans knows their names.
#pragma once

#include <array>
#include <optional>
#include <span>
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
  /// Released side by side: they need nothing of each other's. But a lane of DMA engines that only
  /// copies within the device starts behind the GEMM, whose kernels would wait for its end; and one
  /// of compute units is enqueued before the GEMM, which would leave it none.
  together,
};

/// Whose collective a strategy runs.
enum class Carrier {
  own,             ///< this library's, in the strategy's form
  vendor_kernels,  ///< the vendor library's kernels
  vendor_copies,   ///< the vendor library's mode that copies by DMA engines
};

/// What a strategy's budget counts, if it has one.
enum class BudgetKind {
  none,
  /// k compute units for the collective, the rest for the GEMM. A vendor's collective is held to k
  /// thread blocks; where they run is not confined.
  comm_units,
  gemm_gives,  ///< r compute units that the GEMM leaves idle
  /// k compute units on which a kernel copies a rank's block for itself; the GEMM has all.
  own_block,
};

struct Strategy {
  std::string_view name;
  std::string_view what;  ///< one line for people
  plan::Form form = plan::Form::compute;
  Order order = Order::gemm_first;
  plan::Priority comm_priority = plan::Priority::normal;
  BudgetKind budget = BudgetKind::none;
  Carrier carrier = Carrier::own;

  friend bool operator==(const Strategy&, const Strategy&) = default;
};

/// Limits on the thread blocks of a vendor's collective that are worth a try.
inline constexpr std::array kVendorBlocks = {4, 8, 16, 32};

/// Those of this library alone, in the order of reports: serial, c3_base, c3_sp, c3_rp, c3_sp_rp,
/// conccl, conccl_rp.
[[nodiscard]] const std::vector<Strategy>& strategies();
/// One of `strategies()` by name, nullptr where it is none: the model predicts no other.
[[nodiscard]] const Strategy* own_strategy(std::string_view name);
/// Those of a study beside a vendor's library, in the order of reports. With its kernels the five
/// kernel strategies run them, and ours follow with the suffix "_own"; with its copies "nccl_ce"
/// stands before "conccl". Without either: `strategies()`.
[[nodiscard]] std::vector<Strategy> strategies_beside(std::span<const Carrier> vendor);
/// By name: one of `strategies()`, one of ours under its name with "_own", "nccl_ce", or what runs
/// only where it is asked for: "conccl_hybrid", DMA engines to peers and a kernel for the own
/// block. Throws InputError listing the known names.
[[nodiscard]] const Strategy& find_strategy(std::string_view name);

/// What a strategy needs to know of the device.
struct DeviceShape {
  int compute_units = 0;
  int dma_engines = 0;
  int unit_step = 1;    ///< a partition has a multiple of it; what is beside it has the rest
  int fewest_left = 1;  ///< units that a GEMM needs when it gives up some
  plan::OwnBlock own_block = plan::OwnBlock::first_lane;
};

/// All but `given_up` units, as the device can make it: beside a partition of the others, or as a
/// partition itself; nullopt where it can do neither.
[[nodiscard]] std::optional<plan::Share> share_without(const DeviceShape& device, int given_up);

/// Why the strategy cannot run on such a device with this budget; empty when it can.
[[nodiscard]] std::string why_not(const Strategy& strategy, const DeviceShape& device, int budget);

/// Budgets worth a try on such a device, ascending; {0} for strategies without one. For comm_units
/// every number of units of devices with up to 8, beyond that powers of two times the step (for
/// own_block up to a quarter of the device); of a vendor's collective kVendorBlocks. For gemm_gives
/// also 0; on a device with a step those that leave the GEMM whole steps, which its tiles fill
/// best, down to half the device.
[[nodiscard]] std::vector<int> budgets_to_sweep(const Strategy& strategy,
                                                const DeviceShape& device);

/// The tasks of a C3 plan, indices 0 and 1; only a vendor's collective is a task.
inline constexpr std::string_view kGemmTask = "gemm";
inline constexpr std::string_view kCollectiveTask = "collective";

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
/// The lanes of one rank: the collective's, then the GEMM's, labelled "gemm". A vendor's collective
/// is one compute lane, labelled "collective", that may use every unit; what moves its bytes is not
/// in the plan, so the verifier cannot prove such a plan. Throws InputError with the reason of
/// `why_not`.
[[nodiscard]] plan::RankPlan c3_rank(const C3Request& request, int rank);
/// The lanes of all ranks.
[[nodiscard]] plan::Plan c3_plan(const C3Request& request);

/// The isolated halves, for T_gemm and T_comm: the GEMM on `share`, and a vendor's collective. Ours
/// alone is `plan::build`.
[[nodiscard]] plan::RankPlan gemm_alone(const plan::Share& share);
[[nodiscard]] plan::RankPlan vendor_collective_alone();

}  // namespace conccl::c3
