// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Harvest`: what the host learns of streams' work once they have passed it.
#pragma once

#include <functional>
#include <list>
#include <mutex>

#include "backend/cuda/clock.hpp"

namespace conccl::backend::cuda {

/// Deliveries waiting for an event each. Any thread may call it, the context must be current.
class Harvest {
 public:
  using Delivery = std::function<void(CUevent)>;

  /// `delivery` runs on the thread of a later `gather`, with the event that has passed, unless
  /// `owner` is forgotten before.
  void expect(const void* owner, Event event, Delivery delivery);
  void forget(const void* owner);
  /// Runs the deliveries of all events that have passed. `clock` is made ready for their times.
  void gather(DeviceClock& clock);

 private:
  struct Entry {
    const void* owner = nullptr;
    Event event;
    Delivery delivery;
  };
  std::mutex mutex_;
  std::list<Entry> entries_;
};

}  // namespace conccl::backend::cuda
