// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/advisor/settings.hpp"

#include <fmt/format.h>

#include <string_view>

namespace conccl::c3 {
namespace {

constexpr std::string_view kOwnHeader = "conccl/conccl.h, concclConfig_t";

/// How one vendor's libraries are told.
struct Vendor {
  std::string_view backend;
  std::string_view library;
  std::string_view environment_source;
  std::string_view priority;  ///< the call that makes a stream of high priority
  std::string_view priority_source;
  std::string_view units;  ///< how a GEMM is held to units
  std::string_view units_source;
};

constexpr Vendor kVendors[] = {
    {"cuda", "NCCL", "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html",
     "cudaStreamCreateWithPriority, the greatest of cudaDeviceGetStreamPriorityRange",
     "CUDA runtime, stream management", "CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET",
     "cuBLASLt, cublasLtMatmulDescAttributes_t"},
    {"hsa", "RCCL",
     "https://rocm.docs.amd.com/projects/rccl/en/docs-10.0.0/api-reference/env-variables.html",
     "hipStreamCreateWithPriority, the greatest of hipDeviceGetStreamPriorityRange",
     "HIP runtime, stream management", "compute units in the mask of hipExtStreamCreateWithCUMask",
     "HIP runtime, stream management"},
};

const Vendor* vendor_of(const Machine& machine) {
  for (const Vendor& vendor : kVendors) {
    if (vendor.backend == machine.backend) return &vendor;
  }
  return nullptr;
}

using Settings = std::vector<Setting>;

void add(Settings& settings, std::string_view where, std::string what, std::string_view source) {
  settings.push_back({std::string(where), std::move(what), std::string(source)});
}

void add_policy(Settings& settings, const Strategy& strategy, const Vendor* vendor) {
  if (strategy.form == plan::Form::dma) {
    add(settings, "conccl", "policy = concclPolicyDma", kOwnHeader);
  } else if (vendor == nullptr) {
    add(settings, "conccl", "policy = concclPolicyCompute", kOwnHeader);
  }
}

std::string order_text(Order order) {
  switch (order) {
    case Order::gemm_then_comm:
      return "one stream: the GEMM, then the collective";
    case Order::gemm_first:
      return "two streams of one priority; enqueue the GEMM first";
    case Order::comm_first:
      return "two streams; enqueue the collective first";
    case Order::together:
      return "two streams, in any order";
  }
  return {};
}

void add_priority(Settings& settings, const Vendor& vendor) {
  add(settings, "streams", fmt::format("the collective's by {}", vendor.priority),
      vendor.priority_source);
  add(settings, "pytorch", "TORCH_NCCL_HIGH_PRIORITY=1",
      "https://docs.pytorch.org/docs/stable/torch_nccl_environment_variables.html");
}

void add_budget(Settings& settings, const Machine& machine, const Strategy& strategy, int budget) {
  const Vendor* vendor = vendor_of(machine);
  if (vendor == nullptr || budget == 0) return;
  if (strategy.budget == BudgetKind::comm_units) {
    add(settings, "environment",
        fmt::format("NCCL_MAX_CTAS={} (thread blocks of {}; where they run is not confined)",
                    budget, vendor->library),
        vendor->environment_source);
  }
  add(settings, "gemm",
      fmt::format("{}: {} of {}", vendor->units, machine.device.compute_units - budget,
                  machine.device.compute_units),
      vendor->units_source);
}

}  // namespace

std::vector<Setting> settings_for(const Machine& machine, const Strategy& strategy, int budget) {
  Settings settings;
  const Vendor* vendor = vendor_of(machine);
  add_policy(settings, strategy, vendor);
  add(settings, "streams", order_text(strategy.order), fmt::format("strategy {}", strategy.name));
  if (strategy.comm_priority == plan::Priority::high && vendor != nullptr) {
    add_priority(settings, *vendor);
  }
  add_budget(settings, machine, strategy, budget);
  return settings;
}

}  // namespace conccl::c3
