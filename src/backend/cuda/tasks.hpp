// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Fill, poison and compare, as kernels.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "backend/cuda/task.hpp"
#include "backend/poison.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::cuda {

/// Enough blocks for `words` pieces of work, not more than keep `units` busy.
[[nodiscard]] Grid grid_for(std::uint64_t words, int units);

class FillTask final : public Task, public Launchable {
 public:
  FillTask(void* data, std::vector<Stretch> stretches);
  void launch(const LaunchSite& site) override;

 private:
  unsigned char* data_;
  std::vector<Stretch> stretches_;
};

class PoisonTask final : public Task, public Launchable {
 public:
  PoisonTask(void* data, Bytes bytes) : data_(data), bytes_(bytes) {}
  void launch(const LaunchSite& site) override;

 private:
  void* data_;
  Bytes bytes_;
};

/// The kernels count on the GPU; `result` is written when the queue's device is next synchronized.
class CompareTask final : public Task, public Launchable {
 public:
  CompareTask(std::shared_ptr<Gpu> gpu, const void* data, std::vector<Stretch> stretches,
              Comparison& result);
  void launch(const LaunchSite& site) override;
  [[nodiscard]] bool reports() const override { return true; }

 private:
  void deliver() const;

  std::shared_ptr<Gpu> gpu_;
  unsigned char* data_;
  std::vector<Stretch> stretches_;
  Comparison& result_;
  std::shared_ptr<const Slot> slot_;
};

/// Work of another library.
class StreamTask final : public Task, public Launchable {
 public:
  explicit StreamTask(std::function<void(void*)> enqueue) : enqueue_(std::move(enqueue)) {}
  void launch(const LaunchSite& site) override { enqueue_(site.stream); }

 private:
  std::function<void(void*)> enqueue_;
};

}  // namespace conccl::backend::cuda
