// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `MemoryOperations`: writes of and waits for 64-bit words in a stream, as few calls as possible.
#pragma once

#include <array>
#include <cstdint>

#include "backend/cuda/driver.hpp"

namespace conccl::backend::cuda {

/// Collects operations until `flush` or until a batch is full. They run in order. A write comes
/// after everything before it in the stream, whose bytes are visible to whoever sees it.
class MemoryOperations {
 public:
  MemoryOperations(CUstream stream, int gpu) : stream_(stream), gpu_(gpu) {}

  void write(CUdeviceptr word, std::uint64_t value);
  /// At least `value`.
  void wait(CUdeviceptr word, std::uint64_t value);
  void flush();

 private:
  // The driver refuses more than 256.
  static constexpr unsigned kMost = 255;

  [[nodiscard]] CUstreamBatchMemOpParams& next();

  CUstream stream_;
  int gpu_;
  unsigned count_ = 0;
  std::array<CUstreamBatchMemOpParams, kMost> batch_;
};

}  // namespace conccl::backend::cuda
