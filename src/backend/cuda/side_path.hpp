// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `SidePath`: how the host reads and writes words of device memory while streams run or wait.
#pragma once

#include <cstdint>
#include <mutex>

#include "backend/cuda/facts.hpp"
#include "backend/cuda/handles.hpp"

namespace conccl::backend::cuda {

/// A stream of a context of its own. Streams of one context share a few hardware queues, so that a
/// stream that waits for a flag may hold back every other one (all of them where
/// CUDA_DEVICE_MAX_CONNECTIONS is 1); the write that ends the wait has to come from elsewhere. Each
/// call costs some ten microseconds, more while other contexts compute. Calls take turns.
class SidePath {
 public:
  explicit SidePath(const GpuFacts& gpu);
  ~SidePath();
  SidePath(const SidePath&) = delete;
  SidePath& operator=(const SidePath&) = delete;

  [[nodiscard]] std::uint64_t read(CUdeviceptr word);
  void write(CUdeviceptr word, std::uint64_t value);
  /// `count` words, `stride` bytes apart.
  void write_all(CUdeviceptr first, int count, Bytes stride, std::uint64_t value);

 private:
  struct Context {
    explicit Context(const GpuFacts& gpu);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    CUcontext handle = nullptr;
  };
  void done(const char* operation);

  int gpu_;
  Context context_;
  Stream stream_;
  std::uint64_t* landing_ = nullptr;  ///< pinned
  std::mutex mutex_;
};

}  // namespace conccl::backend::cuda
