// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "capi/group.hpp"
#include "capi/versioned.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::capi {
namespace {

// The layout that programs were compiled with; fields are only ever added behind.
static_assert(sizeof(void*) != 8 ||
              (offsetof(concclGemm_t, m) == 16 && offsetof(concclGemm_t, type) == 28 &&
               sizeof(concclGemm_t) == 32));

GemmType type_of(int type) {
  switch (type) {
    case concclGemmBfloat16:
      return GemmType::bf16;
    case concclGemmFloat16:
      return GemmType::fp16;
    case concclGemmFloat8e4m3:
      return GemmType::fp8;
    case concclGemmFloat32:
      return GemmType::fp32;
    default:
      throw InputError(fmt::format("gemm: type {} is none of concclGemmType_t", type));
  }
}

std::optional<GemmSpec> spec_of(const concclGemm_t* gemm) {
  if (gemm == nullptr) return std::nullopt;
  concclGemm_t whole = CONCCL_GEMM_INITIALIZER;
  complete({gemm, "gemm", "CONCCL_GEMM_INITIALIZER"}, &whole, sizeof whole);
  return GemmSpec{{whole.m, whole.n, whole.k}, type_of(whole.type)};
}

}  // namespace
}  // namespace conccl::capi

using namespace conccl::capi;

concclResult_t concclConcurrentCompute(concclComm_t comm, const concclGemm_t* gemm) {
  return note_in_group(guarded_on(comm, "concclConcurrentCompute", [&](const auto& known) {
    known->communicator().concurrent_compute(spec_of(gemm));
  }));
}
