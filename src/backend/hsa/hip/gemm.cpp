// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/gemm.hpp"

#include <fmt/format.h>

#include <utility>

#include "backend/hsa/memory.hpp"
#include "backend/poison.hpp"
#include "backend/threaded/launcher.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::hip {
namespace {

constexpr Bytes kPiece = 8;  ///< bytes, of a work-item
constexpr Bytes kCopyPiece = 16;

GemmSpec demand_offered(const Hip& hip, const GemmSpec& spec) {
  (void)collect_late();
  validate(spec.shape);
  if (const auto reason = why_no_gemm(gemm_offers(hip), spec)) throw Unavailable(*reason);
  return spec;
}

Number number_for(GemmType type) {
  switch (type) {
    case GemmType::bf16:
      return Number::bf16;
    case GemmType::fp16:
      return Number::fp16;
    case GemmType::fp32:
      return Number::fp32;
    case GemmType::fp8:
      break;
  }
  throw BrokenInvariant("a GEMM is of a type that is offered");
}

unsigned char* bytes_at(ComputeLane& lane, const Memory& memory) {
  return static_cast<unsigned char*>(lane.reached(memory.data(), memory.bytes()));
}

}  // namespace

GemmOffers gemm_offers(const Hip& hip) {
  if (!hip.rocblas()) return {};
  return {{GemmType::bf16, {GemmType::bf16}},
          {GemmType::fp16, {GemmType::fp16}},
          {GemmType::fp32, {GemmType::fp32}}};
}

HipGemm::HipGemm(const std::shared_ptr<Hip>& hip, int gpu, const GemmSpec& spec, std::uint64_t seed)
    : product_(std::make_shared<Product>(hip, gpu, demand_offered(*hip, spec))),
      seed_(seed),
      slot_(hip->runtime()->gpu(gpu).tallies.take(hip->runtime(), gpu)) {
  fill_operands();
  const auto until = product_->deadline();
  product_->start({});
  const std::string wrong = product_->wait(until);
  if (!wrong.empty()) {
    keep_late(product_);
    throw RunError(fmt::format("GEMM {} on GPU {}: first run: {}", to_string(spec), gpu, wrong));
  }
  poison_result();
}

void HipGemm::run_kernels(Bytes bytes, const std::function<void(ComputeLane&)>& launch) const {
  product_->hip().gpu(product_->gpu()).kernels.run(bytes, launch);
}

void HipGemm::set(const Memory& memory, std::uint64_t byte) const {
  run_kernels(memory.bytes(), [&](ComputeLane& lane) {
    lane.launch(memory.bytes() / kPiece, SetArgs{bytes_at(lane, memory), memory.bytes(), byte});
  });
}

void HipGemm::fill_operands() {
  std::uint64_t index = 0;
  for (const Memory* operand : {&product_->a(), &product_->b()}) {
    const Pattern pattern{static_cast<int>(index++), seed_};
    if (operands_ == Operands::zero) {
      set(*operand, 0);
      continue;
    }
    const std::uint64_t count = operand->bytes() / operand_bytes(type());
    run_kernels(operand->bytes(), [&](ComputeLane& lane) {
      lane.launch(count, RandomArgs{bytes_at(lane, *operand), count, pattern, number_for(type())});
    });
  }
}

void HipGemm::set_operands(Operands operands) {
  if (operands == operands_) return;
  operands_ = operands;
  fill_operands();
}

void HipGemm::poison_result() { set(product_->c(), kPoisonByte); }

Memory HipGemm::new_result() const {
  return allocate(product_->hip().runtime(), product_->gpu(), product_->c().bytes());
}

void HipGemm::keep_reference() {
  ensure(operands_ == Operands::random, "a reference is of the random operands");
  if (reference_.data() == nullptr) reference_ = new_result();
  const Memory& result = product_->c();
  run_kernels(result.bytes(), [&](ComputeLane& lane) {
    lane.launch(result.bytes() / kCopyPiece,
                CopyArgs{{bytes_at(lane, reference_), bytes_at(lane, result), result.bytes()}});
  });
}

const Memory& HipGemm::reference() const {
  if (operands_ == Operands::random) {
    ensure(reference_.data() != nullptr, "a GEMM's reference is kept before it is compared with");
    return reference_;
  }
  if (zeros_.data() == nullptr) {
    zeros_ = new_result();
    set(zeros_, 0);
  }
  return zeros_;
}

std::uint64_t HipGemm::mismatches() const {
  const Memory& result = product_->c();
  const Memory& expected = reference();
  run_kernels(2 * result.bytes(), [&](ComputeLane& lane) {
    auto* const found = bytes_at(lane, result);
    lane.launch(1, SetArgs{reinterpret_cast<unsigned char*>(slot_->device), sizeof(Tally), 0});
    lane.launch(result.bytes() / kPiece,
                DifferencesArgs{found, bytes_at(lane, expected), result.bytes(), slot_->device});
    lane.launch(1, ConcludeArgs{found, slot_->device, slot_->host});
  });
  ensure_equal(slot_->host->compared, result.bytes(),
               "bytes of a GEMM's result that were compared");
  return slot_->host->mismatches;
}

void HipGemm::start(ComputeLane& lane) {
  try {
    product_->start({lane.spec().units, lane.spec().priority});
  } catch (const RunError& error) {
    fail(lane, error.what());
  }
}

void HipGemm::finish(ComputeLane& lane) {
  const std::string wrong = product_->wait(product_->deadline());
  if (wrong.empty()) return;
  keep_late(product_);
  fail(lane, wrong);
}

void HipGemm::fail(const ComputeLane& lane, const std::string& what) const {
  const auto text = fmt::format("queue {} of GPU {}: GEMM {}: {}", lane.spec().label,
                                lane.spec().gpu, to_string(product_->spec()), what);
  product_->hip().runtime()->gpu(lane.spec().gpu).failure.declare(text);
  throw threaded::DeviceFailed(text);
}

}  // namespace conccl::backend::hsa::hip
