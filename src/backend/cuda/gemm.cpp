// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "backend/cuda/address.hpp"
#include "backend/cuda/memory.hpp"
#include "backend/cuda/tasks.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

// What the library's authors advise for Hopper is 32 MiB.
constexpr Bytes kWorkspace = 64 * kMiB;
constexpr int kFirstWithFp8 = 89;
constexpr std::int64_t kFp8Step = 16;

Bytes matrix_bytes(std::int64_t rows, std::int64_t columns, Bytes element) {
  return checked_product(
      checked_product(static_cast<Bytes>(rows), static_cast<Bytes>(columns), "matrix"), element,
      "matrix");
}

GemmSpec checked(const GemmSpec& spec, const GpuFacts& facts) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t extent : {spec.shape.m, spec.shape.n, spec.shape.k}) {
    if (extent < 1 || extent > kLimit) {
      throw InputError(fmt::format("make_gemm: {}, expected dimensions of 1 to {}",
                                   to_string(spec.shape), kLimit));
    }
  }
  if (const auto reason = why_no_gemm(gemm_offers(facts), spec)) throw Unavailable(*reason);
  return spec;
}

Kernel random_kernel(GemmType type) {
  switch (type) {
    case GemmType::bf16:
      return Kernel::random_bf16;
    case GemmType::fp16:
      return Kernel::random_fp16;
    case GemmType::fp8:
      return Kernel::random_fp8;
    case GemmType::fp32:
      break;
  }
  throw BrokenInvariant("a GEMM is of a type that is offered");
}

std::vector<int> partition_sizes(const GpuFacts& facts) {
  std::vector<int> sizes{facts.units};
  if (facts.unit_step == 0) return sizes;
  for (int units = facts.unit_step; units < facts.units; units += facts.unit_step) {
    sizes.push_back(units);
    sizes.push_back(facts.units - units);
  }
  return sizes;
}

bool same(const cublasLtMatmulAlgo_t& left, const cublasLtMatmulAlgo_t& right) {
  return std::memcmp(&left, &right, sizeof(left)) == 0;
}

}  // namespace

GemmOffers gemm_offers(const GpuFacts& facts) {
  GemmOffers offers{{GemmType::bf16, {GemmType::bf16}}, {GemmType::fp16, {GemmType::fp16}}};
  if (facts.architecture >= kFirstWithFp8) offers[GemmType::fp8] = {GemmType::fp8, kFp8Step};
  return offers;
}

CudaGemm::CudaGemm(std::shared_ptr<Gpu> gpu, const GemmSpec& spec, std::uint64_t seed)
    : gpu_(std::move(gpu)),
      spec_(checked(spec, gpu_->facts())),
      seed_(seed),
      a_(allocate(gpu_, matrix_bytes(spec.shape.m, spec.shape.k, operand_bytes(spec.type)))),
      b_(allocate(gpu_, matrix_bytes(spec.shape.k, spec.shape.n, operand_bytes(spec.type)))),
      c_(allocate(gpu_, matrix_bytes(spec.shape.m, spec.shape.n, result_bytes(spec.type)))),
      workspace_(allocate(gpu_, kWorkspace)),
      stream_(gpu_->make_stream(plan::Priority::normal)),
      last_units_(gpu_->facts().units) {
  const ContextScope scope(gpu_->context());
  handle_ = make_blas_handle(gpu_->ordinal());
  slot_ = gpu_->slots().take();
  fill_operands();
  choose_algorithms();
  poison_result();
}

void CudaGemm::fill_operands() {
  int index = 0;
  for (const Memory* operand : {&a_, &b_}) {
    if (operands_ == Operands::zero) {
      fill(*operand, 0);
      continue;
    }
    const unsigned long long count = operand->bytes() / operand_bytes(spec_.type);
    gpu_->kernels().launch(random_kernel(spec_.type), grid_for(count, gpu_->facts().units),
                           stream_.get(), operand->data(), count, Pattern{index++, seed_});
  }
}

void CudaGemm::set_operands(Operands operands) {
  if (operands == operands_) return;
  const ContextScope scope(gpu_->context());
  operands_ = operands;
  fill_operands();
  settle("filling a GEMM's operands");
}

void CudaGemm::fill(const Memory& memory, unsigned char byte) const {
  check(driver().cuMemsetD8Async(number_of(memory.data()), byte, memory.bytes(), stream_.get()),
        {"cuMemsetD8Async", gpu_->ordinal(), memory.bytes()});
}

void CudaGemm::choose_algorithms() {
  std::vector<cublasLtMatmulAlgo_t> ran;
  for (const int units : partition_sizes(gpu_->facts())) {
    const auto [entry, made] = products_.try_emplace(units, spec_, gpu_->ordinal());
    if (!made) continue;
    entry->second.choose(handle_.get(), units, kWorkspace);
    const auto& algorithm = entry->second.algorithm();
    if (std::ranges::any_of(ran, [&](const auto& other) { return same(other, algorithm); })) {
      continue;
    }
    run(units, c_, stream_.get());
    ran.push_back(algorithm);
  }
  settle("first run of a GEMM");
}

void CudaGemm::run(int units, const Memory& result, CUstream stream) const {
  const auto product = products_.find(units);
  ensure(product != products_.end(), "a GEMM has an algorithm for every partition");
  product->second.run(handle_.get(),
                      {a_.data(), b_.data(), result.data(), workspace_.data(), kWorkspace}, stream);
}

void CudaGemm::launch(const LaunchSite& site) {
  run(site.units, c_, site.stream);
  last_units_ = site.units;
}

Memory CudaGemm::isolated_result(int units) const {
  Memory result = allocate(gpu_, c_.bytes());
  run(units, result, stream_.get());
  settle("reference of a GEMM");
  return result;
}

const Memory& CudaGemm::reference() const {
  if (operands_ == Operands::zero) {
    if (zeros_.data() == nullptr) {
      zeros_ = allocate(gpu_, c_.bytes());
      fill(zeros_, 0);
    }
    return zeros_;
  }
  ensure(!references_.empty(), "a GEMM's reference is kept before it is compared with");
  if (!references_.contains(last_units_)) references_[last_units_] = isolated_result(last_units_);
  return references_.at(last_units_);
}

std::uint64_t CudaGemm::mismatches() const {
  const ContextScope scope(gpu_->context());
  const Memory& expected = reference();
  check(driver().cuMemsetD8Async(number_of(slot_->device), 0, sizeof(Tally), stream_.get()),
        {"cuMemsetD8Async", gpu_->ordinal(), sizeof(Tally)});
  gpu_->kernels().launch(Kernel::differences, grid_for(c_.bytes() / 8, gpu_->facts().units),
                         stream_.get(), c_.data(), expected.data(),
                         static_cast<unsigned long long>(c_.bytes()), slot_->device);
  gpu_->kernels().launch(Kernel::conclude, {1, 1}, stream_.get(), c_.data(), slot_->device,
                         slot_->host);
  settle("comparison of a GEMM's result");
  ensure_equal(slot_->host->compared, c_.bytes(), "bytes of a GEMM's result that were compared");
  return slot_->host->mismatches;
}

void CudaGemm::keep_reference() {
  ensure(operands_ == Operands::random, "a reference is of the random operands");
  const ContextScope scope(gpu_->context());
  Memory& kept = references_[last_units_];
  if (kept.data() == nullptr) kept = allocate(gpu_, c_.bytes());
  check(driver().cuMemcpyAsync(number_of(kept.data()), number_of(c_.data()), c_.bytes(),
                               stream_.get()),
        {"cuMemcpyAsync", gpu_->ordinal(), c_.bytes()});
  settle("saving a GEMM's result");
}

void CudaGemm::poison_result() {
  const ContextScope scope(gpu_->context());
  fill(c_, kPoisonByte);
  settle("poisoning a GEMM's result");
}

std::string CudaGemm::algorithm() const { return products_.at(last_units_).describe(); }

void CudaGemm::settle(const char* operation) const {
  finish(stream_.get(), {operation, gpu_->ordinal()});
}

}  // namespace conccl::backend::cuda
