// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backend/cuda/submission.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::backend::cuda {
namespace {

// A queue that is destroyed lets its work go after this long; owners poison flags to be faster.
constexpr std::chrono::seconds kDestructionLimit{10};
// Between two looks at whether a block that is waited for was poisoned.
constexpr std::chrono::milliseconds kPoisonInterval{20};

/// Passes when what is now in `stream` has.
Event mark_in(Gpu& gpu, CUstream stream) {
  const bool captured = capture_of(stream, gpu.ordinal()).status != CU_STREAM_CAPTURE_STATUS_NONE;
  Event event = captured ? gpu.marks().make() : gpu.marks().take();
  check(driver().cuEventRecord(event.get(), stream), {"cuEventRecord", gpu.ordinal()});
  return event;
}

/// What comes next in `to` starts after what is now in `from`.
void order(Gpu& gpu, CUstream from, CUstream to) {
  const Event event = mark_in(gpu, from);
  check(driver().cuStreamWaitEvent(to, event.get(), 0), {"cuStreamWaitEvent", gpu.ordinal()});
}

/// As the driver calls it, on any thread.
void let_go(void* owner) { delete static_cast<std::shared_ptr<void>*>(owner); }

/// `graph`, and whatever is made from it, owns `what`.
void give(CUgraph graph, std::shared_ptr<void> what, int gpu) {
  auto owner = std::make_unique<std::shared_ptr<void>>(std::move(what));
  CUuserObject object = nullptr;
  check(driver().cuUserObjectCreate(&object, owner.get(), let_go, 1,
                                    CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
        {"cuUserObjectCreate", gpu});
  [[maybe_unused]] const auto* with_object = owner.release();
  const CUresult given =
      driver().cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
  if (given != CUDA_SUCCESS) (void)driver().cuUserObjectRelease(object, 1);
  check(given, {"cuGraphRetainUserObject", gpu});
}

}  // namespace

CudaQueue::CudaQueue(Target target, Stream stream)
    : target_(std::move(target)), stream_(std::move(stream)) {}

CudaQueue::~CudaQueue() {
  // A caller's stream may be gone by now.
  if (stream_.get() != nullptr) end();
  target_.gpu->harvest().forget(this);
}

void CudaQueue::end() {
  try {
    const ContextScope scope(target_.gpu->context());
    const bool captured =
        capture_of(target_.stream, target_.gpu->ordinal()).status != CU_STREAM_CAPTURE_STATUS_NONE;
    if (!captured && drained(kDestructionLimit)) target_.gpu->gather();
  } catch (const Error& error) {
    log(LogLevel::warning, fmt::format("queue {} ends: {}", target_.label, error.what()));
  }
}

CudaFlags& CudaQueue::flags(const FlagRef& flag) const {
  auto* block = dynamic_cast<CudaFlags*>(flag.block);
  if (block == nullptr) {
    throw InputError(fmt::format("queue {}: was given flags of another backend", target_.label));
  }
  return *block;
}

void CudaQueue::copy(void* dst, const void* src, Bytes bytes, Origin origin) {
  recording_.emplace_back(CopyOp{dst, src, bytes, source(origin)});
}

Source CudaQueue::source(Origin origin) const {
  const plan::Engine engine = lane_ != nullptr ? lane_->engine : target_.engine;
  if (!target_.log->active()) return {engine, {}, origin};
  return {engine, lane_ != nullptr ? lane_->label : target_.label, origin};
}

void CudaQueue::signal(FlagRef flag, std::uint64_t value) {
  recording_.emplace_back(SignalOp{flags(flag).word(flag.index), value});
}

void CudaQueue::wait(FlagRef flag, std::uint64_t value) {
  const CudaFlags& block = flags(flag);
  recording_.emplace_back(WaitOp{block.state().get(), block.word(flag.index), value});
}

void CudaQueue::watch(CudaFlags::State& block) {
  const auto same = [&block](const Watched& known) {
    return known.address == &block && !known.block.expired();
  };
  if (std::ranges::any_of(waited_, same)) return;
  std::erase_if(waited_, [](const Watched& known) { return known.block.expired(); });
  waited_.push_back({&block, block.weak_from_this()});
}

void CudaQueue::compute(Task& task, Origin origin) {
  auto* launchable = dynamic_cast<Launchable*>(&task);
  if (launchable == nullptr) {
    throw InputError(
        fmt::format("queue {}: compute was given a task of another backend", target_.label));
  }
  recording_.emplace_back(ComputeOp{launchable, source(origin)});
}

void CudaQueue::timestamp(Timestamp& slot) { recording_.emplace_back(TimestampOp{&slot}); }

void CudaQueue::after(Queue& other) {
  auto* first = dynamic_cast<CudaQueue*>(&other);
  if (first == nullptr || first->target_.gpu != target_.gpu) {
    throw InputError(fmt::format("queue {}: after: expected a queue of its GPU", target_.label));
  }
  first->submit();
  const ContextScope scope(target_.gpu->context());
  if (first->target_.joins_default) order(*target_.gpu, CU_STREAM_LEGACY, first->target_.stream);
  recording_.emplace_back(AfterOp{mark_in(*target_.gpu, first->target_.stream)});
}

void CudaQueue::submit() {
  if (recording_.empty()) return;
  std::vector<Op> ops = std::exchange(recording_, {});
  const ContextScope scope(target_.gpu->context());
  if (target_.joins_default) order(*target_.gpu, CU_STREAM_LEGACY, target_.stream);
  enqueue(ops);
  if (target_.joins_default) order(*target_.gpu, target_.stream, CU_STREAM_LEGACY);
  ops.clear();
  recording_ = std::move(ops);
}

void CudaQueue::enqueue(const std::vector<Op>& ops) {
  Submission submission(target_, this, copies_);
  for (const Op& op : ops) {
    if (const auto* wait = std::get_if<WaitOp>(&op)) watch(*wait->block);
    std::visit(submission, op);
  }
  submission.finish();
}

std::uint64_t CudaQueue::capture() const {
  const ContextScope scope(target_.gpu->context());
  if (target_.joins_default && default_stream_is_barred()) {
    throw InputError(
        fmt::format("queue {}: the legacy default stream cannot be used while a stream that it "
                    "waits for is being captured: use a stream made with cudaStreamNonBlocking",
                    target_.label));
  }
  const Capture found = capture_of(target_.stream, target_.gpu->ordinal());
  if (found.status == CU_STREAM_CAPTURE_STATUS_NONE) return 0;
  // Above 0 whatever the driver counts from.
  return found.status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? found.id + 1 : kBrokenCapture;
}

void CudaQueue::keep(std::shared_ptr<void> what) {
  const ContextScope scope(target_.gpu->context());
  const Capture found = capture_of(target_.stream, target_.gpu->ordinal());
  if (found.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
    throw InputError(
        fmt::format("queue {}: keep: expected a queue that is captured", target_.label));
  }
  give(found.graph, std::move(what), target_.gpu->ordinal());
}

bool CudaQueue::synchronize(std::chrono::nanoseconds limit) {
  const ContextScope scope(target_.gpu->context());
  if (capture_of(target_.stream, target_.gpu->ordinal()).status != CU_STREAM_CAPTURE_STATUS_NONE) {
    throw InputError(
        fmt::format("queue {}: synchronize: its stream is being captured, and runs nothing until "
                    "that ends",
                    target_.label));
  }
  if (!drained(limit)) return false;
  waited_.clear();
  target_.gpu->gather();
  return true;
}

bool CudaQueue::drained(std::chrono::nanoseconds limit) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (;;) {
    const auto left = limit - (Clock::now() - start);
    const auto slice = std::min<std::chrono::nanoseconds>(
        std::max<std::chrono::nanoseconds>(left, {}), kPoisonInterval);
    if (wait_until_idle(target_.stream, slice, target_.gpu->ordinal())) return true;
    if (Clock::now() - start >= limit) return false;
    for (const Watched& each : waited_) {
      if (const auto block = each.block.lock(); block && block->poisoned()) block->poison();
    }
  }
}

}  // namespace conccl::backend::cuda
