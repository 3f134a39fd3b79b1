// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Which strategies there are.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conccl/c3/strategy.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

using plan::Form;
using plan::Priority;

/// Whoever's kernels they run.
const std::vector<Strategy>& kernel_strategies() {
  static const std::vector<Strategy> all{
      {"serial", "the GEMM, then the collective on compute units", Form::compute,
       Order::gemm_then_comm, Priority::normal, BudgetKind::none, Carrier::own},
      {"c3_base", "collective on compute units, GEMM launched first", Form::compute,
       Order::gemm_first, Priority::normal, BudgetKind::none, Carrier::own},
      {"c3_sp", "collective on compute units, launched first at high priority", Form::compute,
       Order::comm_first, Priority::high, BudgetKind::none, Carrier::own},
      {"c3_rp", "compute units split: k for the collective, the rest for the GEMM", Form::compute,
       Order::gemm_first, Priority::normal, BudgetKind::comm_units, Carrier::own},
      {"c3_sp_rp", "split as c3_rp and launched as c3_sp", Form::compute, Order::comm_first,
       Priority::high, BudgetKind::comm_units, Carrier::own},
  };
  return all;
}

/// Ours where the plain names are the vendor's.
const std::vector<Strategy>& own_kernels() {
  static const std::vector<Strategy> all = [] {
    constexpr std::array<std::string_view, 5> kNames = {"serial_own", "c3_base_own", "c3_sp_own",
                                                        "c3_rp_own", "c3_sp_rp_own"};
    std::vector<Strategy> list = kernel_strategies();
    ensure_equal(list.size(), kNames.size(), "kernel strategies");
    for (std::size_t i = 0; i < list.size(); ++i) list[i].name = kNames[i];
    return list;
  }();
  return all;
}

const Strategy& vendor_copies() {
  static const Strategy strategy{
      "nccl_ce",
      "the vendor's collective in its copy-engine mode, GEMM on every compute unit",
      Form::dma,
      Order::together,
      Priority::normal,
      BudgetKind::none,
      Carrier::vendor_copies};
  return strategy;
}

const Strategy& hybrid() {
  static const Strategy strategy{
      "conccl_hybrid",
      "as conccl, but a rank's block for itself is copied by a kernel on k compute units",
      Form::dma,
      Order::together,
      Priority::normal,
      BudgetKind::own_block,
      Carrier::own};
  return strategy;
}

/// Ours and the vendor's, every name once.
const std::vector<Strategy>& known_strategies() {
  static const std::vector<Strategy> all = [] {
    std::vector<Strategy> list = strategies();
    const auto& own = own_kernels();
    list.insert(list.end(), own.begin(), own.end());
    list.push_back(vendor_copies());
    list.push_back(hybrid());
    return list;
  }();
  return all;
}
}  // namespace

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all = [] {
    std::vector<Strategy> list = kernel_strategies();
    list.push_back({"conccl", "collective on DMA engines, GEMM on every compute unit", Form::dma,
                    Order::together, Priority::normal, BudgetKind::none, Carrier::own});
    list.push_back({"conccl_rp", "as conccl, and the GEMM gives up r compute units", Form::dma,
                    Order::together, Priority::normal, BudgetKind::gemm_gives, Carrier::own});
    return list;
  }();
  return all;
}

std::vector<Strategy> strategies_beside(std::span<const Carrier> vendor) {
  const auto has = [vendor](Carrier carrier) {
    return std::find(vendor.begin(), vendor.end(), carrier) != vendor.end();
  };
  std::vector<Strategy> list = kernel_strategies();
  if (has(Carrier::vendor_kernels)) {
    for (auto& strategy : list) strategy.carrier = Carrier::vendor_kernels;
    const auto& own = own_kernels();
    list.insert(list.end(), own.begin(), own.end());
  }
  if (has(Carrier::vendor_copies)) list.push_back(vendor_copies());
  const auto& ours = strategies();
  list.insert(list.end(), ours.begin() + static_cast<std::ptrdiff_t>(kernel_strategies().size()),
              ours.end());
  return list;
}

const Strategy* own_strategy(std::string_view name) {
  const auto& own = strategies();
  const auto found = std::ranges::find(own, name, &Strategy::name);
  return found == own.end() ? nullptr : &*found;
}

const Strategy& find_strategy(std::string_view name) {
  std::string known;
  for (const auto& strategy : known_strategies()) {
    if (strategy.name == name) return strategy;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", strategy.name);
  }
  throw InputError(fmt::format("strategy: '{}' is not known; known are {}", name, known));
}

}  // namespace conccl::c3
