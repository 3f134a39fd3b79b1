// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/harvest.hpp"

#include <utility>

namespace conccl::backend::cuda {

void Harvest::expect(const void* owner, Event event, Delivery delivery) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({owner, std::move(event), std::move(delivery)});
}

void Harvest::forget(const void* owner) {
  const std::lock_guard lock(mutex_);
  entries_.remove_if([owner](const Entry& entry) { return entry.owner == owner; });
}

void Harvest::gather(DeviceClock& clock) {
  const std::lock_guard lock(mutex_);
  bool ready = false;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const CUresult state = driver().cuEventQuery(entry->event.get());
    if (state == CUDA_ERROR_NOT_READY) {
      ++entry;
      continue;
    }
    check(state, {"cuEventQuery"});
    if (!ready) clock.refresh(entry->event);
    ready = true;
    entry->delivery(entry->event.get());
    entry = entries_.erase(entry);
  }
}

}  // namespace conccl::backend::cuda
