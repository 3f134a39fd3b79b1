// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/blaslt.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr std::array kNames{"libcublasLt.so.13", "libcublasLt.so.12",
                            "/usr/local/cuda/lib64/libcublasLt.so.13",
                            "/usr/local/cuda/lib64/libcublasLt.so.12"};

void* open_library() {
  for (const char* name : kNames) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
  }
  throw Unavailable("libcublasLt.so.13 and .12 not found: add their folder to LD_LIBRARY_PATH");
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw Unavailable(fmt::format("libcublasLt has no {}", name));
}

BlasLt open_blaslt() {
  void* library = open_library();
  BlasLt calls;
#define CONCCL_FIND(name) find(library, #name, calls.name);
  CONCCL_BLASLT_CALLS(CONCCL_FIND)
#undef CONCCL_FIND
  return calls;
}

template <typename Value>
std::string config(const cublasLtMatmulAlgo_t& algorithm, const char* name,
                   cublasLtMatmulAlgoConfigAttributes_t attribute) {
  Value value{};
  std::size_t written = 0;
  const auto status = blaslt().cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value,
                                                                    sizeof(value), &written);
  return status == CUBLAS_STATUS_SUCCESS ? fmt::format(", {} {}", name, value) : std::string();
}

struct LibraryTypes {
  cudaDataType operand;
  cudaDataType result;
};

LibraryTypes types_of(const GemmSpec& spec) {
  switch (spec.type) {
    case GemmType::bf16:
      return {CUDA_R_16BF, CUDA_R_16BF};
    case GemmType::fp16:
      return {CUDA_R_16F, CUDA_R_16F};
    case GemmType::fp8:
      return {CUDA_R_8F_E4M3, CUDA_R_16BF};
    case GemmType::fp32:
      break;
  }
  throw Unavailable(fmt::format("GEMM {}: expected bf16, fp16 or fp8", to_string(spec)));
}

}  // namespace

const BlasLt& blaslt() {
  static const BlasLt calls = open_blaslt();
  return calls;
}

std::string blaslt_name() {
  const std::size_t version = blaslt().cublasLtGetVersion();
  return fmt::format("cuBLASLt {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

void check_blas(cublasStatus_t status, const Call& call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw RunError(fmt::format("{} on GPU {}: {} ({})", call.operation, call.gpu,
                             blaslt().cublasLtGetStatusString(status), static_cast<int>(status)));
}

std::shared_ptr<cublasLtContext> make_blas_handle(int gpu) {
  cublasLtHandle_t handle = nullptr;
  check_blas(blaslt().cublasLtCreate(&handle), {"cublasLtCreate", gpu});
  return {handle, [](cublasLtHandle_t made) { (void)blaslt().cublasLtDestroy(made); }};
}

bool b_is_transposed(GemmType type) { return type == GemmType::fp8; }

BlasProduct::BlasProduct(const GemmSpec& spec, int gpu)
    : spec_(spec),
      gpu_(gpu),
      product_(nullptr, blaslt().cublasLtMatmulDescDestroy),
      // The library counts by columns, so it is given the transposed product C' = B' A'.
      a_(b_is_transposed(spec.type) ? layout(types_of(spec).operand, spec.shape.k, spec.shape.n)
                                    : layout(types_of(spec).operand, spec.shape.n, spec.shape.k)),
      b_(layout(types_of(spec).operand, spec.shape.k, spec.shape.m)),
      c_(layout(types_of(spec).result, spec.shape.n, spec.shape.m)) {
  cublasLtMatmulDesc_t product = nullptr;
  check_blas(blaslt().cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F),
             {"cublasLtMatmulDescCreate", gpu});
  product_.reset(product);
  if (b_is_transposed(spec.type)) set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
}

BlasProduct::Layout BlasProduct::layout(cudaDataType type, std::int64_t rows,
                                        std::int64_t columns) const {
  cublasLtMatrixLayout_t made = nullptr;
  check_blas(blaslt().cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows),
                                                 static_cast<std::uint64_t>(columns), rows),
             {"cublasLtMatrixLayoutCreate", gpu_});
  return {made, blaslt().cublasLtMatrixLayoutDestroy};
}

template <typename Value>
void BlasProduct::set(cublasLtMatmulDescAttributes_t attribute, Value value) const {
  check_blas(
      blaslt().cublasLtMatmulDescSetAttribute(product_.get(), attribute, &value, sizeof(value)),
      {"cublasLtMatmulDescSetAttribute", gpu_});
}

void BlasProduct::choose(cublasLtHandle_t handle, int units, Bytes workspace) {
  set(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, std::int32_t{units});
  cublasLtMatmulPreference_t made = nullptr;
  check_blas(blaslt().cublasLtMatmulPreferenceCreate(&made),
             {"cublasLtMatmulPreferenceCreate", gpu_});
  const Owner<cublasLtMatmulPreferenceOpaque_t> preference(
      made, blaslt().cublasLtMatmulPreferenceDestroy);
  const std::uint64_t most = workspace;
  check_blas(blaslt().cublasLtMatmulPreferenceSetAttribute(
                 preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof(most)),
             {"cublasLtMatmulPreferenceSetAttribute", gpu_});
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  const auto status =
      blaslt().cublasLtMatmulAlgoGetHeuristic(handle, product_.get(), a_.get(), b_.get(), c_.get(),
                                              c_.get(), preference.get(), 1, &found, &count);
  if (status != CUBLAS_STATUS_SUCCESS || count == 0) {
    throw Unavailable(fmt::format("GEMM {} on {} multiprocessors of GPU {}: {} has no algorithm",
                                  to_string(spec_), units, gpu_, blaslt_name()));
  }
  algorithm_ = found.algo;
}

std::string BlasProduct::describe() const {
  return blaslt_name() + config<std::int32_t>(algorithm_, "algorithm", CUBLASLT_ALGO_CONFIG_ID) +
         config<std::uint32_t>(algorithm_, "tile", CUBLASLT_ALGO_CONFIG_TILE_ID) +
         config<std::uint32_t>(algorithm_, "stages", CUBLASLT_ALGO_CONFIG_STAGES_ID) +
         config<std::int32_t>(algorithm_, "split-k", CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
}

void BlasProduct::run(cublasLtHandle_t handle, const Operands& operands, CUstream stream) const {
  const float one = 1;
  const float zero = 0;
  check_blas(
      blaslt().cublasLtMatmul(handle, product_.get(), &one, operands.b, a_.get(), operands.a,
                              b_.get(), &zero, operands.c, c_.get(), operands.c, c_.get(),
                              &algorithm_, operands.workspace, operands.workspace_bytes, stream),
      {"cublasLtMatmul", gpu_});
}

}  // namespace conccl::backend::cuda
