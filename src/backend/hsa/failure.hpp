// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Failure`: the first thing that went wrong on a GPU, after which nothing on it is trusted.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace conccl::backend::hsa {

/// Any thread may call any member.
class Failure {
 public:
  /// Only the first counts.
  void declare(const std::string& what);
  [[nodiscard]] bool declared() const { return declared_.load(std::memory_order_acquire); }
  /// Throws RunError with what was declared, if anything was.
  void require_none() const;

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> declared_{false};
  std::string what_;
};

}  // namespace conccl::backend::hsa
