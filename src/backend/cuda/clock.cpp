// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/clock.hpp"

#include <chrono>
#include <cmath>
#include <utility>

namespace conccl::backend::cuda {
namespace {

// The driver tells differences as milliseconds in a float: beyond this they lose nanoseconds.
constexpr std::chrono::milliseconds kLongestBase{250};

}  // namespace

DeviceClock::DeviceClock(int gpu, Stream stream, EventPool& events)
    : gpu_(gpu), stream_(std::move(stream)), events_(events) {
  // The first is slower than those that follow.
  pass(events_.take());
  Event event = events_.take();
  const auto before = std::chrono::steady_clock::now();
  pass(event);
  const auto after = std::chrono::steady_clock::now();
  move_base(std::move(event), (before + (after - before) / 2).time_since_epoch());
}

Nanoseconds DeviceClock::now() {
  const std::lock_guard lock(mutex_);
  Event event = events_.take();
  pass(event);
  const Nanoseconds since = since_base(event.get());
  const Nanoseconds time = base_time_ + since;
  if (since > kLongestBase) move_base(std::move(event), time);
  return time;
}

void DeviceClock::refresh(const Event& event) {
  const std::lock_guard lock(mutex_);
  const Nanoseconds since = since_base(event.get());
  if (since > kLongestBase) move_base(event, base_time_ + since);
}

void DeviceClock::pass(const Event& event) const {
  check(driver().cuEventRecord(event.get(), stream_.get()), {"cuEventRecord", gpu_});
  finish(stream_.get(), {"reading the clock", gpu_});
}

Nanoseconds DeviceClock::time_of(CUevent event) {
  const std::lock_guard lock(mutex_);
  return base_time_ + since_base(event);
}

Nanoseconds DeviceClock::since_base(CUevent event) const {
  float milliseconds = 0;
  check(driver().cuEventElapsedTime(&milliseconds, base_.get(), event), {"cuEventElapsedTime"});
  return Nanoseconds(std::llround(static_cast<double>(milliseconds) * 1e6));
}

void DeviceClock::move_base(Event event, Nanoseconds at) {
  base_ = std::move(event);
  base_time_ = at;
}

}  // namespace conccl::backend::cuda
