// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `KernelQueue`: runs kernels of one GPU in order.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/hsa/aql_ring.hpp"
#include "backend/hsa/kernels.hpp"

namespace conccl::backend::hsa {

struct KernelQueueSpec {
  int gpu = 0;               ///< for errors
  std::vector<int> units{};  ///< compute units it may use, as the mask counts them; empty: all
  abi::hsa_amd_queue_priority_t priority = abi::HSA_AMD_QUEUE_PRIORITY_NORMAL;
  bool timed = false;           ///< kernels can be asked for their times
  std::uint32_t packets = 256;  ///< a kernel takes one, and one for five it comes after
  /// Of waiting for room, and for what still runs when the queue is destroyed.
  std::chrono::nanoseconds limit = std::chrono::seconds(30);
};

/// When a kernel runs, and how wide.
struct Launch {
  std::uint32_t items = kWorkgroup;  ///< work-items
  /// Decremented when the kernel has completed, and alive until then; handle 0: none.
  abi::hsa_signal_t completion{};
  /// Waited for until they are exactly 0, and alive until then.
  std::span<const abi::hsa_signal_t> after;
};

/// Calls come from one thread at a time, but for `failure`. What kernels write can be read by all
/// once their signal says so. After a failure nothing completes any more.
class KernelQueue {
 public:
  /// `kernarg_pool` is the host's. Throws InputError for a unit that the GPU has not. `calls` must
  /// outlive the process' last queue.
  KernelQueue(const Calls& calls, abi::hsa_agent_t agent, abi::hsa_amd_memory_pool_t kernarg_pool,
              std::shared_ptr<const Kernels> kernels, KernelQueueSpec spec);
  /// Waits for what runs. What has not ended within the limit keeps its memory for ever.
  ~KernelQueue();
  KernelQueue(const KernelQueue&) = delete;
  KernelQueue& operator=(const KernelQueue&) = delete;

  /// The kernel of this structure. Throws RunError when there is no room within the limit, or the
  /// queue has failed.
  template <typename Args>
  void launch(const Launch& launch, const Args& args) {
    put(KernelOf<Args>::kKernel, launch, std::as_bytes(std::span(&args, 1)));
  }
  /// Completes after all that was launched, and after signals are 0.
  void barrier(abi::hsa_signal_t completion, std::span<const abi::hsa_signal_t> after = {});

  /// Waits until all that was launched has completed; false: not within `limit`, or it failed.
  [[nodiscard]] bool drain(std::chrono::nanoseconds limit);

  /// What went wrong with the queue; empty: nothing. Any thread may call it.
  [[nodiscard]] std::string failure() const { return ring_->failure(); }

  /// Of the kernel that completed on that signal, in ticks of the system's timestamp; the queue is
  /// timed.
  [[nodiscard]] abi::hsa_amd_profiling_dispatch_time_t times(abi::hsa_signal_t completion) const;

  /// Compute units it may use, which can be fewer than were asked for.
  [[nodiscard]] int units() const { return units_; }

 private:
  void restrict_units();
  void put(Kernel kernel, const Launch& launch, std::span<const std::byte> args);
  void put_barrier(abi::hsa_signal_t completion, std::span<const abi::hsa_signal_t> after,
                   AqlRing::Time deadline);
  [[nodiscard]] AqlRing::Time deadline() const;

  const Calls& calls_;
  abi::hsa_agent_t agent_;
  KernelQueueSpec spec_;
  int units_ = 0;
  std::shared_ptr<const Kernels> kernels_;
  std::unique_ptr<AqlRing> ring_;
};

/// Bit i of the words says whether unit i is among `units`; whole words for `count` units. Throws
/// InputError for a unit outside.
[[nodiscard]] std::vector<std::uint32_t> unit_mask(std::span<const int> units, int count, int gpu);

}  // namespace conccl::backend::hsa
