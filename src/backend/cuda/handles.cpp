// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/handles.hpp"

namespace conccl::backend::cuda {

EventPool::Idle::~Idle() {
  for (const CUevent event : events) (void)driver().cuEventDestroy(event);
}

Event EventPool::make() const {
  CUevent event = nullptr;
  check(driver().cuEventCreate(&event, flags_), {"cuEventCreate"});
  return {event, [](CUevent used) { (void)driver().cuEventDestroy(used); }};
}

Event EventPool::take() {
  CUevent event = nullptr;
  {
    const std::lock_guard lock(idle_->mutex);
    if (!idle_->events.empty()) {
      event = idle_->events.back();
      idle_->events.pop_back();
    }
  }
  if (event == nullptr) {
    check(driver().cuEventCreate(&event, flags_), {"cuEventCreate"});
  }
  return {event, [idle = idle_](CUevent used) {
            const std::lock_guard lock(idle->mutex);
            idle->events.push_back(used);
          }};
}

}  // namespace conccl::backend::cuda
