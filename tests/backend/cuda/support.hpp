// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A backend with two devices: two GPUs, or one twice.
#pragma once

#include <gtest/gtest.h>

#include "backend/cuda/facts.hpp"
#include "backend/cuda/gpu.hpp"
#include "conccl/backend/cuda.hpp"

namespace conccl::backend::cuda {

inline constexpr std::chrono::seconds kLimit{30};

class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    backend_ = open_cuda();
    first_ = backend_->open_device(0);
    second_ = backend_->open_device(1);
    gpu_ = std::make_shared<Gpu>(facts_of(0));
  }

  [[nodiscard]] Backend& backend() { return *backend_; }
  [[nodiscard]] Device& first() { return *first_; }
  [[nodiscard]] Device& second() { return *second_; }
  /// GPU 0, for calls of the driver.
  [[nodiscard]] const std::shared_ptr<Gpu>& gpu() { return gpu_; }

  [[nodiscard]] std::unique_ptr<Queue> queue(plan::Engine engine, plan::Share share = {}) {
    return first_->make_queue({"test", engine, share, plan::Priority::normal});
  }

  static void finish(Queue& queue) {
    queue.submit();
    ASSERT_TRUE(queue.synchronize(kLimit)) << "the queue did not end";
  }

  static void run(Device& device, Task& task) {
    const auto side = device.make_queue({"run", plan::Engine::compute, {}, plan::Priority::normal});
    side->compute(task, {});
    finish(*side);
  }

  static void fill(Device& device, void* data, Bytes bytes, const Pattern& pattern) {
    run(device, *device.make_fill(data, {{0, bytes, pattern, 0}}));
  }

  [[nodiscard]] static Comparison compare(Device& device, const void* data, Bytes bytes,
                                          const Pattern& pattern) {
    Comparison result;
    run(device, *device.make_compare(data, {{0, bytes, pattern, 0}}, result));
    return result;
  }

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Device> first_;
  std::unique_ptr<Device> second_;
  std::shared_ptr<Gpu> gpu_;
};

}  // namespace conccl::backend::cuda
