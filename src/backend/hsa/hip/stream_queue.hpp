// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `StreamQueue`: work in the order of a stream that a caller brought.
#pragma once

#include "backend/hsa/hip/caller_stream.hpp"
#include "backend/hsa/hip/signal_word.hpp"
#include "backend/threaded/threaded_queue.hpp"

namespace conccl::backend::hsa::hip {

/// The stream raises a word when it comes to a submission and waits for another; a thread of the
/// host runs the submission between the two. The stream waits by a kernel of one work-item, or by
/// its command processor, whichever HIP takes; other streams on the same hardware queue wait with
/// it (GPU_MAX_HW_QUEUES), so two streams whose collectives wait for one another need queues of
/// their own.
///
/// Whatever goes wrong, no stream is left waiting: a device that fails, and a queue that is
/// destroyed, raise the word.
class StreamQueue final : public threaded::ThreadedQueue {
 public:
  /// `stream` is what `caller_stream` gave. Throws RunError.
  StreamQueue(std::shared_ptr<Hip> hip, int gpu, abi::hipStream_t stream,
              threaded::QueueSetup setup);
  /// The stream may be gone.
  ~StreamQueue() override;
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;

  void submit() override;
  /// 0, or it throws.
  [[nodiscard]] std::uint64_t capture() const override;
  [[nodiscard]] void* native() const override { return stream_; }

 private:
  void enqueue_arrival(std::uint64_t count);
  void enqueue_wait(std::uint64_t count);
  void hand_over(std::uint64_t count);

  std::shared_ptr<Hip> hip_;
  int gpu_;
  abi::hipStream_t stream_;
  std::shared_ptr<ihipEvent_t> fence_;
  WordPair words_;
  std::shared_ptr<SignalWord> arrived_;
  std::shared_ptr<SignalWord> done_;
};

}  // namespace conccl::backend::hsa::hip
