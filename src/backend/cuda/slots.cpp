// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/slots.hpp"

#include "backend/cuda/address.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr std::size_t kSlotsPerBlock = 512;
constexpr Bytes kBlockBytes = kSlotsPerBlock * sizeof(Tally);

}  // namespace

Slots::~Slots() {
  for (const Slot& block : blocks_) {
    (void)driver().cuMemFree(number_of(block.device));
    (void)driver().cuMemFreeHost(block.host);
  }
}

void Slots::grow() {
  void* host = nullptr;
  CUdeviceptr device = 0;
  check(driver().cuMemHostAlloc(&host, kBlockBytes, CU_MEMHOSTALLOC_PORTABLE),
        {"cuMemHostAlloc", gpu_, kBlockBytes});
  check(driver().cuMemAlloc(&device, kBlockBytes), {"cuMemAlloc", gpu_, kBlockBytes});
  const Slot first{static_cast<Tally*>(pointer_of(device)), static_cast<Tally*>(host)};
  blocks_.push_back(first);
  for (std::size_t i = 0; i < kSlotsPerBlock; ++i) {
    idle_.push_back({first.device + i, first.host + i});
  }
}

std::shared_ptr<const Slot> Slots::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) grow();
  const Slot slot = idle_.back();
  idle_.pop_back();
  return {new Slot(slot), [this](const Slot* used) {
            const std::lock_guard guard(mutex_);
            idle_.push_back(*used);
            delete used;
          }};
}

}  // namespace conccl::backend::cuda
