// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Product`: a row-major product by rocBLAS, with its operands and result.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "backend/hsa/hip/hip.hpp"
#include "conccl/backend/memory.hpp"
#include "conccl/core/gemm_shape.hpp"

namespace conccl::backend::hsa::hip {

/// Sums are in fp32 and repeat: rocBLAS is told to add up without atomics. The library chooses the
/// kernel by the product and the GPU, not by what the stream may use. For one thread at a time.
class Product {
 public:
  /// Throws Unavailable without rocBLAS, RunError.
  Product(std::shared_ptr<Hip> hip, int gpu, const GemmSpec& spec);
  /// It has ended, or never started.
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  /// Puts it into a stream of its own; `ended` is called before the next `start`. Throws RunError.
  void start(const StreamSpec& stream);
  /// Waits until it has ended, and a second at most once the GPU has failed. Empty, or what went
  /// wrong: then it may still run, and all of it must stay where it is.
  [[nodiscard]] std::string wait(std::chrono::steady_clock::time_point until);
  /// Whether it has ended after `wait` gave up on it.
  [[nodiscard]] bool has_ended() const;
  /// When it is late if it starts now.
  [[nodiscard]] std::chrono::steady_clock::time_point deadline() const;
  /// "rocBLAS 4.2.0 of HIP 6.2.41133".
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] Hip& hip() const { return *hip_; }
  [[nodiscard]] int gpu() const { return gpu_; }
  [[nodiscard]] const GemmSpec& spec() const { return spec_; }
  [[nodiscard]] const Memory& a() const { return a_; }
  [[nodiscard]] const Memory& b() const { return b_; }
  [[nodiscard]] const Memory& c() const { return c_; }

 private:
  [[nodiscard]] std::shared_ptr<_rocblas_handle> make_handle() const;
  void multiply() const;

  std::shared_ptr<Hip> hip_;
  int gpu_;
  GemmSpec spec_;
  Memory a_;
  Memory b_;
  Memory c_;
  std::shared_ptr<_rocblas_handle> handle_;
  StreamSpec lent_spec_;
  abi::hipStream_t lent_ = nullptr;
};

/// "rocBLAS 4.2.0 of HIP 6.2.41133".
[[nodiscard]] std::string gemm_library(const Hip& hip);

/// Keeps a product, with all that it works on, until it has ended. Any thread.
void keep_late(std::shared_ptr<Product> product);
/// Lets go of what has ended since; how much has not.
std::size_t collect_late();

}  // namespace conccl::backend::hsa::hip
