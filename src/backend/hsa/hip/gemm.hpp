// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HipGemm`: a product by rocBLAS as a task of this backend's queues.
#pragma once

#include "backend/hsa/hip/product.hpp"
#include "backend/hsa/tasks.hpp"

namespace conccl::backend::hsa::hip {

/// bf16, fp16 and fp32 where there is rocBLAS, else none.
[[nodiscard]] GemmOffers gemm_offers(const Hip& hip);

/// It runs on a stream of HIP with the queue's compute units and priority. Kernels of the HSA
/// runtime have filled its operands, and were waited for, with what they wrote in memory.
class HipGemm final : public Gemm, public Runnable {
 public:
  /// Operands are uniform in [-1, 1), rounded to their type. It runs once: a kernel's first launch
  /// loads it.
  HipGemm(const std::shared_ptr<Hip>& hip, int gpu, const GemmSpec& spec, std::uint64_t seed);

  [[nodiscard]] const GemmShape& shape() const override { return product_->spec().shape; }
  [[nodiscard]] GemmType type() const override { return product_->spec().type; }
  [[nodiscard]] std::uint64_t mismatches() const override;
  void keep_reference() override;
  void poison_result() override;
  [[nodiscard]] std::string algorithm() const override { return product_->describe(); }
  void set_operands(Operands operands) override;

  void start(ComputeLane& lane) override;
  void finish(ComputeLane& lane) override;

  /// On the GPU, by rows.
  [[nodiscard]] const Product& product() const { return *product_; }

 private:
  void fill_operands();
  void set(const Memory& memory, std::uint64_t byte) const;
  void run_kernels(Bytes bytes, const std::function<void(ComputeLane&)>& launch) const;
  [[nodiscard]] const Memory& reference() const;
  [[nodiscard]] Memory new_result() const;
  /// What went wrong is the GPU's failure.
  [[noreturn]] void fail(const ComputeLane& lane, const std::string& what) const;

  std::shared_ptr<Product> product_;
  std::uint64_t seed_;
  Operands operands_ = Operands::random;
  std::shared_ptr<const TallySlot> slot_;
  Memory reference_;      ///< of the random operands
  mutable Memory zeros_;  ///< the result of zero operands
};

}  // namespace conccl::backend::hsa::hip
