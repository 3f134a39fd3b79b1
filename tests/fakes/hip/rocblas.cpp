// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

#include "tests/fakes/hip/exports.hpp"

struct _rocblas_handle {
  ihipStream_t* stream = nullptr;
  bool atomics = true;  ///< as in the library
  std::uint64_t products = 0;
};

namespace conccl::test::fake_hip {
namespace {

float bf16_at(const void* values, std::size_t at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(values) + 2 * at, 2);
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

float fp16_at(const void* values, std::size_t at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(values) + 2 * at, 2);
  const int exponent = bits >> 10U & 0x1F;
  const auto fraction = static_cast<float>(bits & 0x3FFU);
  const float size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000U) != 0 ? -size : size;
}

/// To the nearest, ties to even.
std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
}

/// As above; of less than 65504.
std::uint16_t to_fp16(float value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (value == 0) return sign;
  int exponent = 0;
  (void)std::frexp(value, &exponent);
  exponent = std::max(exponent, -13);
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(std::fabs(value), 11 - exponent)));
  // A fraction that rounds up to the next power of two carries into the exponent.
  return static_cast<std::uint16_t>(sign | (((exponent + 13) << 10) + steps));
}

struct Matrix {
  const void* values = nullptr;
  rocblas_datatype type = rocblas_datatype_f32_r;
  std::size_t stride = 0;

  [[nodiscard]] float at(std::size_t row, std::size_t column) const {
    const std::size_t place = row + column * stride;
    if (type == rocblas_datatype_bf16_r) return bf16_at(values, place);
    if (type == rocblas_datatype_f16_r) return fp16_at(values, place);
    return static_cast<const float*>(values)[place];
  }
  void put(std::size_t row, std::size_t column, float value) const {
    char* const all = static_cast<char*>(const_cast<void*>(values));
    const std::size_t place = row + column * stride;
    if (type == rocblas_datatype_f32_r) {
      std::memcpy(all + 4 * place, &value, 4);
      return;
    }
    const auto bits = type == rocblas_datatype_bf16_r ? to_bf16(value) : to_fp16(value);
    std::memcpy(all + 2 * place, &bits, 2);
  }
};

struct Product {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  float alpha = 0;
  Matrix a;
  Matrix b;
  Matrix d;
  bool disturbed = false;
};

void multiply(const Product& product) {
  for (std::size_t j = 0; j < product.n; ++j) {
    for (std::size_t i = 0; i < product.m; ++i) {
      float sum = 0;
      for (std::size_t l = 0; l < product.k; ++l) sum += product.a.at(i, l) * product.b.at(l, j);
      product.d.put(i, j, product.alpha * sum);
    }
  }
  // What another order of adding up does.
  if (product.disturbed) product.d.put(0, 0, product.d.at(0, 0) * 1.5F + 1);
}

void run_product(void* data) {
  const std::unique_ptr<Product> product(static_cast<Product*>(data));
  multiply(*product);
}

rocblas_status result_of(const char* name) {
  return conccl_fake_hip_strikes(name) ? rocblas_status_internal_error : rocblas_status_success;
}

}  // namespace

CONCCL_FAKE_HIP_API rocblas_status rocblas_create_handle(rocblas_handle* handle) {
  if (conccl_fake_hip_strikes("rocblas_create_handle")) return rocblas_status_internal_error;
  *handle = new _rocblas_handle;
  return rocblas_status_success;
}

CONCCL_FAKE_HIP_API rocblas_status rocblas_destroy_handle(rocblas_handle handle) {
  delete handle;
  return rocblas_status_success;
}

CONCCL_FAKE_HIP_API rocblas_status rocblas_set_stream(rocblas_handle handle, hipStream_t stream) {
  handle->stream = stream;
  return result_of("rocblas_set_stream");
}

CONCCL_FAKE_HIP_API rocblas_status rocblas_set_atomics_mode(rocblas_handle handle,
                                                            rocblas_atomics_mode mode) {
  handle->atomics = mode == rocblas_atomics_allowed;
  return result_of("rocblas_set_atomics_mode");
}

CONCCL_FAKE_HIP_API rocblas_status rocblas_get_version_string(char* text, std::size_t size) {
  std::snprintf(text, size, "4.2.0.double");
  return rocblas_status_success;
}

CONCCL_FAKE_HIP_API const char* rocblas_status_to_string(rocblas_status status) {
  return status == rocblas_status_internal_error ? "rocblas_status_internal_error"
                                                 : "another status";
}

CONCCL_FAKE_HIP_API rocblas_status rocblas_gemm_ex(
    rocblas_handle handle, rocblas_operation a_operation, rocblas_operation b_operation,
    rocblas_int m, rocblas_int n, rocblas_int k, const void* alpha, const void* a,
    rocblas_datatype a_type, rocblas_int a_stride, const void* b, rocblas_datatype b_type,
    rocblas_int b_stride, const void* beta, const void* c, rocblas_datatype c_type,
    rocblas_int c_stride, void* d, rocblas_datatype d_type, rocblas_int d_stride,
    rocblas_datatype compute_type, rocblas_gemm_algo /*algorithm*/, std::int32_t /*solution*/,
    std::uint32_t /*flags*/) {
  if (conccl_fake_hip_strikes("rocblas_gemm_ex")) return rocblas_status_internal_error;
  const bool known = a_operation == rocblas_operation_none &&
                     b_operation == rocblas_operation_none &&
                     compute_type == rocblas_datatype_f32_r && b_type == a_type &&
                     c_type == a_type && d_type == a_type && *static_cast<const float*>(beta) == 0;
  if (!known) return rocblas_status_not_implemented;
  if (a == nullptr || b == nullptr || d == nullptr || c != d) return rocblas_status_invalid_pointer;
  if (m < 1 || n < 1 || k < 1 || a_stride < m || b_stride < k || c_stride < m || d_stride < m) {
    return rocblas_status_invalid_size;
  }
  const auto size = [](rocblas_int value) { return static_cast<std::size_t>(value); };
  auto product = std::make_unique<Product>(Product{size(m),
                                                   size(n),
                                                   size(k),
                                                   *static_cast<const float*>(alpha),
                                                   {a, a_type, size(a_stride)},
                                                   {b, b_type, size(b_stride)},
                                                   {d, d_type, size(d_stride)},
                                                   handle->atomics && handle->products++ % 2 != 0});
  if (hipLaunchHostFunc(handle->stream, run_product, product.get()) != hipSuccess) {
    return rocblas_status_internal_error;
  }
  (void)product.release();
  return rocblas_status_success;
}

}  // namespace conccl::test::fake_hip
