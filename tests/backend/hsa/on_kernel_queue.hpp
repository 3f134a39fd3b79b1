// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Queues of kernels on a GPU of the double.
#pragma once

#include <memory>
#include <thread>

#include "backend/hsa/kernel_images.hpp"
#include "backend/hsa/kernel_queue.hpp"
#include "conccl/core/errors.hpp"
#include "tests/backend/hsa/open_double.hpp"

namespace conccl::backend::hsa {

inline constexpr std::chrono::seconds kLong{20};
inline constexpr std::chrono::milliseconds kShort{100};

class OnKernelQueue : public OpenDouble {
 protected:
  void SetUp() override {
    if (kernel_image("gfx942").empty()) GTEST_SKIP() << "this build has no kernels for gfx942";
    OpenDouble::SetUp();
  }
  void TearDown() override {
    kernels_.reset();
    OpenDouble::TearDown();
  }

  [[nodiscard]] std::unique_ptr<KernelQueue> queue(KernelQueueSpec spec = {}) {
    if (!kernels_) kernels_ = std::make_shared<Kernels>(calls(), gpu(), 0);
    return std::make_unique<KernelQueue>(calls(), gpu(), kernarg_pool(), kernels_, std::move(spec));
  }

  /// Whether the signal becomes less than 1.
  [[nodiscard]] bool completes(abi::hsa_signal_t signal, std::chrono::milliseconds limit = kLong) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (value(signal) >= 1) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return true;
  }

 private:
  std::shared_ptr<const Kernels> kernels_;
};

}  // namespace conccl::backend::hsa
