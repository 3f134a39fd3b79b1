// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The CUDA backend: NVIDIA GPUs by the driver, which is opened at run time.
#pragma once

#include <functional>
#include <memory>

#include "conccl/backend/device.hpp"

namespace conccl::backend {

/// Rank r gets GPU r modulo their number, so ranks may share one. Copies on DMA engines are the
/// driver's asynchronous copies, flags are words of host memory that streams write and wait for,
/// shares of compute units are green contexts, a GEMM is cuBLASLt's. Throws Unavailable with the
/// reason when there is no driver, no GPU, or this library was built without the backend.
///
/// A signal directly before work is the stream's last write before that work's launch: where the
/// queue waits for nothing, it may be seen a moment before the host has handed the work over.
///
/// A queue that is destroyed while it waits for a flag gives up on it after ten seconds.
[[nodiscard]] std::unique_ptr<Backend> open_cuda();

namespace cuda {

/// A queue over the caller's `cudaStream_t`, which must live while the queue is used; destroying
/// the queue does not wait for the stream. Null is the legacy default stream, which is joined by
/// events on both sides of each submission; cudaStreamPerThread is the submitting thread's. Throws
/// InputError when `device` is not of the CUDA backend.
[[nodiscard]] std::unique_ptr<Queue> wrap_stream(Device& device, void* stream);

/// A task of another library's making, for queues of this backend: each run calls `enqueue` with
/// the queue's `cudaStream_t`, on the thread that submits and with the GPU's primary context
/// current. It enqueues there and waits for nothing; what it throws leaves `Queue::submit`.
[[nodiscard]] std::unique_ptr<Task> make_stream_task(std::function<void(void* stream)> enqueue);

/// Captured work: enqueued by one call however much it is.
class Graph {
 public:
  /// Work that is under way runs to its end.
  virtual ~Graph() = default;
  /// Submits `stream`, a queue of the GPU it was captured on, and then all of the work. What it
  /// works with must be alive; launches of one graph run one after the other. Throws InputError
  /// for another queue, RunError.
  virtual void launch(Queue& stream) = 0;
};

/// What `enqueue` has `stream` do, and the queues that join it, is captured instead of run; what
/// was recorded before is submitted. One thread that drives several ranks captures the stream of
/// each inside of the capture of the one before. Throws InputError for a queue that cannot be
/// captured (of another backend, of the legacy default stream), RunError, and what `enqueue`
/// throws; the capture has ended then.
[[nodiscard]] std::unique_ptr<Graph> capture_graph(Queue& stream,
                                                   const std::function<void()>& enqueue);

}  // namespace cuda

}  // namespace conccl::backend
