// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `DeviceScope`: HIP's current device of the calling thread, put back afterwards.
#pragma once

#include "backend/hsa/hip/library.hpp"

namespace conccl::backend::hsa::hip {

class DeviceScope {
 public:
  /// Throws RunError.
  DeviceScope(const HipCalls& calls, int ordinal) : calls_(calls) {
    check(calls_, calls_.hipGetDevice(&before_), {"hipGetDevice"});
    if (before_ == ordinal) return;
    check(calls_, calls_.hipSetDevice(ordinal), {"hipSetDevice"});
    changed_ = true;
  }
  ~DeviceScope() {
    if (changed_) (void)calls_.hipSetDevice(before_);
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  const HipCalls& calls_;
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace conccl::backend::hsa::hip
