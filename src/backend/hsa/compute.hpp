// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `ComputeLane`: the compute units of a GPU that a queue may use.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/hsa/kernel_queue.hpp"
#include "backend/hsa/reach.hpp"
#include "conccl/plan/plan.hpp"

namespace conccl::backend::hsa {

struct ComputeSpec {
  std::shared_ptr<Runtime> runtime;
  int gpu = 0;
  std::string label;
  std::vector<int> units;  ///< empty: all
  plan::Priority priority = plan::Priority::normal;
};

/// Kernels run one after the other. The GPU's queue is made when the first one is launched, for
/// there are few. For one thread, but for `spec`.
class ComputeLane {
 public:
  explicit ComputeLane(ComputeSpec spec) : spec_(std::move(spec)) {}
  /// What has not ended keeps what it uses.
  ~ComputeLane();
  ComputeLane(const ComputeLane&) = delete;
  ComputeLane& operator=(const ComputeLane&) = delete;

  [[nodiscard]] const ComputeSpec& spec() const { return spec_; }
  [[nodiscard]] Runtime& runtime() const { return *spec_.runtime; }

  /// Launches the kernel of this structure with about one work-item for each of `items` pieces of
  /// work. Throws threaded::DeviceFailed when the queue is full or has failed, Unavailable without
  /// kernels.
  template <typename Args>
  void launch(std::uint64_t items, const Args& args) {
    guarded([&] { queue().launch(Launch{grid_for(items), {}, {}}, args); });
  }
  /// Where kernels find the `bytes` at `address`, which stay there until what was launched has
  /// ended. Throws as `reach`; so before anything is launched.
  template <typename Value>
  [[nodiscard]] Value* reached(Value* address, Bytes bytes) {
    return static_cast<Value*>(reach_and_hold(address, bytes));
  }
  /// Waits until all that was launched has ended; it moves at most `bytes`. Throws
  /// threaded::DeviceFailed.
  void finish(Bytes bytes);

 private:
  [[nodiscard]] void* reach_and_hold(const void* address, Bytes bytes);
  [[nodiscard]] KernelQueue& queue();
  [[nodiscard]] std::uint32_t grid_for(std::uint64_t items);
  void guarded(const std::function<void()>& action);
  [[noreturn]] void fail(const std::string& what);

  ComputeSpec spec_;
  std::vector<std::shared_ptr<void>> holds_;
  std::unique_ptr<KernelQueue> queue_;  ///< after what its kernels use
};

}  // namespace conccl::backend::hsa
