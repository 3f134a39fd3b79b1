// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// cuBLASLt, opened at run time.
#pragma once

#include <cublasLt.h>

#include <memory>
#include <string>

#include "backend/cuda/driver.hpp"
#include "conccl/core/gemm_shape.hpp"

namespace conccl::backend::cuda {

#define CONCCL_BLASLT_CALLS(X)            \
  X(cublasLtCreate)                       \
  X(cublasLtDestroy)                      \
  X(cublasLtGetVersion)                   \
  X(cublasLtGetStatusString)              \
  X(cublasLtMatmul)                       \
  X(cublasLtMatmulDescCreate)             \
  X(cublasLtMatmulDescDestroy)            \
  X(cublasLtMatmulDescSetAttribute)       \
  X(cublasLtMatrixLayoutCreate)           \
  X(cublasLtMatrixLayoutDestroy)          \
  X(cublasLtMatmulPreferenceCreate)       \
  X(cublasLtMatmulPreferenceDestroy)      \
  X(cublasLtMatmulPreferenceSetAttribute) \
  X(cublasLtMatmulAlgoGetHeuristic)       \
  X(cublasLtMatmulAlgoConfigGetAttribute)

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): the vendor's names.
struct BlasLt {
#define CONCCL_MEMBER(name) decltype(&::name) name = nullptr;
  CONCCL_BLASLT_CALLS(CONCCL_MEMBER)
#undef CONCCL_MEMBER
};
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)

/// Opened on the first call. Throws Unavailable with the reason.
[[nodiscard]] const BlasLt& blaslt();
/// "cuBLASLt 13.1.0".
[[nodiscard]] std::string blaslt_name();
/// Throws RunError with the operation and the library's text unless `status` is success.
void check_blas(cublasStatus_t status, const Call& call);

/// The library's handle for the context that is current when it is made.
[[nodiscard]] std::shared_ptr<cublasLtContext> make_blas_handle(int gpu);

/// Whether B lies in memory by columns: in fp8 the library multiplies along rows of both.
[[nodiscard]] bool b_is_transposed(GemmType type);

/// A row-major product with fp32 sums, described for the library, for a number of multiprocessors.
/// The scales of fp8 are left at 1, and its sums are not the fast ones of fewer bits.
class BlasProduct {
 public:
  /// Throws Unavailable for a type that the library is not asked for.
  BlasProduct(const GemmSpec& spec, int gpu);

  /// The library's first choice for `units` of `all_units` multiprocessors. Throws Unavailable when
  /// it has none.
  void choose(cublasLtHandle_t handle, int units, Bytes workspace);
  [[nodiscard]] const cublasLtMatmulAlgo_t& algorithm() const { return algorithm_; }
  [[nodiscard]] std::string describe() const;

  struct Operands {
    const void* a = nullptr;
    const void* b = nullptr;  ///< by columns where `b_is_transposed`
    void* c = nullptr;
    void* workspace = nullptr;
    Bytes workspace_bytes = 0;
  };
  void run(cublasLtHandle_t handle, const Operands& operands, CUstream stream) const;

 private:
  template <typename Object>
  using Owner = std::unique_ptr<Object, cublasStatus_t (*)(Object*)>;
  using Layout = Owner<cublasLtMatrixLayoutOpaque_t>;
  [[nodiscard]] Layout layout(cudaDataType type, std::int64_t rows, std::int64_t columns) const;
  template <typename Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value) const;

  GemmSpec spec_;
  int gpu_;
  Owner<cublasLtMatmulDescOpaque_t> product_;
  Layout a_;
  Layout b_;
  Layout c_;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace conccl::backend::cuda
