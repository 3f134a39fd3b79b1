// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `DeviceClock`: a GPU's clock, read by events.
#pragma once

#include <mutex>

#include "backend/cuda/handles.hpp"
#include "conccl/core/units.hpp"

namespace conccl::backend::cuda {

/// Nanoseconds since the host's steady clock began, as the GPU's own clock counts on from the
/// moment this was made (met to about ten microseconds; the two drift apart by some millionths).
/// Two events are told apart to about 30 ns and half a microsecond on older hardware. Any thread
/// may call it, the context must be current.
class DeviceClock {
 public:
  /// `events` must outlive it.
  DeviceClock(int gpu, Stream stream, EventPool& events);

  /// Through a stream. Streams share a few hardware queues (CUDA_DEVICE_MAX_CONNECTIONS), so that
  /// one that waits for a flag may hold this back.
  [[nodiscard]] Nanoseconds now();
  /// Keeps `time_of` exact: to be called before it with a recent event, which has passed.
  void refresh(const Event& event);
  /// When `event`, which has passed, did so.
  [[nodiscard]] Nanoseconds time_of(CUevent event);

 private:
  [[nodiscard]] Nanoseconds since_base(CUevent event) const;
  void move_base(Event event, Nanoseconds at);

  void pass(const Event& event) const;

  int gpu_;
  Stream stream_;
  EventPool& events_;
  std::mutex mutex_;
  Event base_;
  Nanoseconds base_time_{};
};

}  // namespace conccl::backend::cuda
