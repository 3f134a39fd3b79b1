// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Communicator` of NCCL: one rank of it, with an owner.
#pragma once

#include <memory>
#include <string>

#include "bench/peers/bounded_caller.hpp"
#include "bench/peers/nccl_api.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::bench::nccl {

/// This rank, and what kind of communicator.
struct CommSpec {
  int rank = 0;
  int ranks = 1;
  int max_ctas = 0;  ///< the most thread blocks of a collective; 0: NCCL's choice
  int policy = kPolicyDefault;
};

/// Where a rank's part of a collective lies; in place `send` is null.
struct Buffers {
  const void* send = nullptr;
  void* recv = nullptr;
};

/// Throws RunError as `check`.
[[nodiscard]] UniqueId make_unique_id(const Api& api);

/// Owns a communicator of NCCL. For one thread at a time.
class Communicator {
 public:
  /// Collective: every rank with the same `id`. Throws RunError, also when the ranks do not come
  /// together within the caller's limit.
  Communicator(std::shared_ptr<const Api> api, const CommSpec& spec, const UniqueId& id,
               BoundedCaller caller);
  /// Finalizes and destroys it, which waits for what is enqueued, or abandons it after a failure:
  /// kernels that wait for a dead rank then end.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] const CommSpec& spec() const { return spec_; }

  /// Collective: every rank registers as much, in the same order. `data` must be a multiple of 4
  /// KiB from the start of its allocation, which virtual memory calls made. Throws RunError; null
  /// where NCCL has no symmetric memory here, which it calls a success.
  [[nodiscard]] Window register_window(void* data, Bytes bytes);
  void deregister(Window window);

  /// Enqueues on `stream` and waits for nothing, unless it is the first of its kind. Throws
  /// RunError.
  void enqueue(const plan::Request& request, const Buffers& buffers, Stream stream) const;
  /// The same on a thread of its own, for the first of its kind: it waits for the other ranks.
  void enqueue_first(const plan::Request& request, const Buffers& buffers, Stream stream) const;

  /// Throws RunError when NCCL has noticed a failure since.
  void check_async() const;
  /// From now on the communicator is only good for being destroyed.
  void give_up() noexcept { given_up_ = true; }

 private:
  void finish() noexcept;

  std::shared_ptr<const Api> api_;
  CommSpec spec_;
  BoundedCaller caller_;
  Comm comm_ = nullptr;
  bool given_up_ = false;
};

}  // namespace conccl::bench::nccl
