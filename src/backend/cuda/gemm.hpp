// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CudaGemm`: a product by cuBLASLt.
#pragma once

#include <cstdint>
#include <map>

#include "backend/cuda/blaslt.hpp"
#include "backend/cuda/task.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::cuda {

/// bf16 and fp16 everywhere; fp8 from Ada on, where the library wants dimensions of whole 16 bytes.
[[nodiscard]] GemmOffers gemm_offers(const GpuFacts& facts);

/// The library's choice of algorithm depends on how many multiprocessors it may use. It is made for
/// every size of partition when this is made, and each choice has run once then: a kernel's first
/// launch loads it, and may wait for streams that wait for it. Two choices may add in another
/// order, so each has its own reference: the result of the same algorithm alone on the whole GPU.
/// For the choice that had run last, `keep_reference` saves what is there; for the others the
/// reference is computed when it is first needed.
class CudaGemm final : public Gemm, public Launchable {
 public:
  /// Operands are uniform in [-1, 1), rounded to their type.
  CudaGemm(std::shared_ptr<Gpu> gpu, const GemmSpec& spec, std::uint64_t seed);

  [[nodiscard]] const GemmShape& shape() const override { return spec_.shape; }
  [[nodiscard]] GemmType type() const override { return spec_.type; }
  [[nodiscard]] std::uint64_t mismatches() const override;
  void keep_reference() override;
  void poison_result() override;
  [[nodiscard]] std::string algorithm() const override;
  void set_operands(Operands operands) override;
  void launch(const LaunchSite& site) override;

  /// On the GPU; b by columns where `b_is_transposed`.
  [[nodiscard]] const Memory& a() const { return a_; }
  [[nodiscard]] const Memory& b() const { return b_; }
  [[nodiscard]] const Memory& c() const { return c_; }

 private:
  void fill_operands();
  void choose_algorithms();
  void run(int units, const Memory& result, CUstream stream) const;
  [[nodiscard]] const Memory& reference() const;
  [[nodiscard]] Memory isolated_result(int units) const;
  void fill(const Memory& memory, unsigned char byte) const;
  void settle(const char* operation) const;

  std::shared_ptr<Gpu> gpu_;
  GemmSpec spec_;
  std::uint64_t seed_;
  Operands operands_ = Operands::random;
  Memory a_;
  Memory b_;
  Memory c_;
  Memory workspace_;
  std::shared_ptr<cublasLtContext> handle_;
  Stream stream_;  ///< for what the host waits for
  std::shared_ptr<const Slot> slot_;
  std::map<int, BlasProduct> products_;       ///< by multiprocessors
  mutable std::map<int, Memory> references_;  ///< by multiprocessors; of random operands
  mutable Memory zeros_;                      ///< the result of zero operands
  int last_units_;
};

}  // namespace conccl::backend::cuda
