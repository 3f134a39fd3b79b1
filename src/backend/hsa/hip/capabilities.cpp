// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/capabilities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/hsa/hip/gemm.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::hip {
namespace {

bool has_kernels(Runtime& runtime) {
  try {
    (void)runtime.gpu(0).kernels.get(runtime, runtime.gpu(0));
    return true;
  } catch (const Unavailable&) {
    return false;
  }
}

void add_gemms(const Hip& hip, Capabilities& found) {
  if (!hip.rocblas()) {
    found.warnings.push_back(fmt::format("GEMMs are missing: {}", hip.why_no_rocblas()));
    return;
  }
  if (!has_kernels(*hip.runtime())) return;
  found.gemms = gemm_offers(hip);
  found.gemm_library = gemm_library(hip);
}

}  // namespace

std::shared_ptr<Hip> add_hip(const std::shared_ptr<Runtime>& runtime, Capabilities& found) {
  std::shared_ptr<Hip> hip;
  try {
    hip = Hip::open(runtime);
  } catch (const Unavailable& error) {
    found.warnings.push_back(fmt::format("HIP's streams and GEMMs are missing: {}", error.what()));
    return nullptr;
  }
  found.streams = "HIP";
  add_gemms(*hip, found);
  const auto hidden = hip->hidden();
  if (!hidden.empty()) {
    found.warnings.push_back(fmt::format(
        "HIP does not see GPUs {}, which then have no streams and no GEMMs: HIP_VISIBLE_DEVICES "
        "hides them, or several have one PCI address",
        fmt::join(hidden, ", ")));
  }
  return hip;
}

}  // namespace conccl::backend::hsa::hip
