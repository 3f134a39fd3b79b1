// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/stream_queue.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::backend::hsa::hip {
namespace {

// A queue that is destroyed lets its work go after this long; owners poison flags to be faster.
constexpr std::chrono::seconds kPatience{10};
constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

// HIP documents that recording such an event releases at system scope: what kernels before it wrote
// is then in memory, where engines read it. Kernels behind the second record must not read what
// caches held before engines wrote; of that the documentation is silent, and HIP's kernels acquire
// at device scope only. Its runtime records by a barrier packet that acquires at system scope too
// (read in its sources of late 2024).
std::shared_ptr<ihipEvent_t> make_fence(const HipCalls& calls, int gpu) {
  abi::hipEvent_t event = nullptr;
  check(calls,
        calls.hipEventCreateWithFlags(&event,
                                      abi::hipEventDisableTiming | abi::hipEventReleaseToSystem),
        {"hipEventCreateWithFlags", gpu});
  return {event, [&calls](abi::hipEvent_t made) { (void)calls.hipEventDestroy(made); }};
}

}  // namespace

StreamQueue::StreamQueue(std::shared_ptr<Hip> hip, int gpu, abi::hipStream_t stream,
                         threaded::QueueSetup setup)
    : ThreadedQueue(std::move(setup)), hip_(std::move(hip)), gpu_(gpu), stream_(stream) {
  const DeviceScope scope = hip_->enter(gpu_);
  fence_ = make_fence(hip_->calls(), gpu_);
  words_ = WordPairs::of_process().take(hip_->calls(), hip_->gpu(gpu_).ordinal, gpu_);
  const Failure& failure = hip_->runtime()->gpu(gpu_).failure;
  arrived_ = std::make_shared<SignalWord>(words_.arrived, failure);
  done_ = std::make_shared<SignalWord>(words_.done, failure);
}

StreamQueue::~StreamQueue() {
  bool sound = false;
  try {
    sound = synchronize(kPatience);
  } catch (const std::exception& error) {
    log(LogLevel::warning, fmt::format("queue of a stream of GPU {} ends: {}", gpu_, error.what()));
  }
  // Otherwise the stream may still raise the word to what others count on by then.
  if (!sound || arrived_->value(0) != words_.last) return;
  WordPairs::of_process().give_back(hip_->gpu(gpu_).ordinal, std::move(words_));
}

void StreamQueue::submit() {
  if (recording().empty()) return;
  const std::uint64_t count = ++words_.last;
  bool arrives = false;
  try {
    const DeviceScope scope = hip_->enter(gpu_);
    refuse_capture(hip_->calls(), stream_, gpu_);
    enqueue_arrival(count);
    arrives = true;
    enqueue_wait(count);
  } catch (...) {
    recording().clear();
    // The stream may wait already.
    if (arrives) hand_over(count);
    throw;
  }
  hand_over(count);
}

void StreamQueue::enqueue_arrival(std::uint64_t count) {
  const HipCalls& calls = hip_->calls();
  check(calls, calls.hipEventRecord(fence_.get(), stream_), {"hipEventRecord", gpu_});
  check(calls, calls.hipStreamWriteValue64(stream_, words_.arrived.data(), count, 0),
        {"hipStreamWriteValue64", gpu_});
}

void StreamQueue::enqueue_wait(std::uint64_t count) {
  const HipCalls& calls = hip_->calls();
  check(calls,
        calls.hipStreamWaitValue64(stream_, words_.done.data(), count, abi::hipStreamWaitValueGte,
                                   kAllBits),
        {"hipStreamWaitValue64", gpu_});
  check(calls, calls.hipEventRecord(fence_.get(), stream_), {"hipEventRecord", gpu_});
}

/// The marks are kept ones: a queue that gives up still raises the second, and one that is
/// destroyed does not insist on the first.
void StreamQueue::hand_over(std::uint64_t count) {
  threaded::Program& program = recording();
  program.insert(program.begin(), threaded::WaitOp{{arrived_.get(), 0}, count, arrived_});
  program.emplace_back(threaded::SignalOp{{done_.get(), 0}, count, false, done_});
  ThreadedQueue::submit();
}

std::uint64_t StreamQueue::capture() const {
  const DeviceScope scope = hip_->enter(gpu_);
  refuse_capture(hip_->calls(), stream_, gpu_);
  return 0;
}

}  // namespace conccl::backend::hsa::hip
