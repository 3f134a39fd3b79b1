// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backend/cuda/address.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr unsigned kCopyThreads = 512;
constexpr std::size_t kMostInABatch = 64;
constexpr Bytes kBytesPerBlock = Bytes{kCopyThreads} * 16;

bool on_a_gpu(const void* address) { return memory_kind(address) == CU_MEMORYTYPE_DEVICE; }

}  // namespace

Submission::Submission(const Target& target, const void* owner, std::vector<const CopyOp*>& copies)
    : target_(target),
      owner_(owner),
      operations_(target.stream, target.gpu->ordinal()),
      copies_(copies) {
  copies_.clear();
}

void Submission::operator()(const CopyOp& op) {
  if (op.bytes == 0) return;
  operations_.flush();
  if (!copies_.empty() && copies_.back()->source.engine != op.source.engine) flush_copies();
  copies_.push_back(&op);
}

void Submission::operator()(const SignalOp& op) {
  flush_copies();
  operations_.write(op.word, op.value);
}

void Submission::operator()(const WaitOp& op) {
  flush_copies();
  // A signal may have lowered the flag since it was poisoned.
  if (op.block->poisoned()) return;
  operations_.wait(op.word, op.value);
}

void Submission::operator()(const ComputeOp& op) {
  finish();
  if (op.task->reports()) refuse_in_capture("a compare reports to the host");
  const bool with_log = logged();
  const Event begin = with_log ? mark() : Event();
  op.task->launch({*target_.gpu, target_.stream, target_.units, owner_});
  if (with_log) target_.log->add(span(op.source, 0), begin, mark());
}

void Submission::operator()(const AfterOp& op) {
  finish();
  check(driver().cuStreamWaitEvent(target_.stream, op.event.get(), 0),
        {"cuStreamWaitEvent", target_.gpu->ordinal()});
  captured_.reset();
}

void Submission::operator()(const TimestampOp& op) {
  finish();
  refuse_in_capture("a timestamp reports to the host");
  Gpu* gpu = target_.gpu.get();
  gpu->harvest().expect(owner_, mark(), [gpu, slot = op.slot](CUevent event) {
    *slot = gpu->clock().time_of(event);
  });
}

void Submission::finish() {
  flush_copies();
  operations_.flush();
}

void Submission::flush_copies() {
  if (copies_.empty()) return;
  const bool with_log = logged();
  const Event begin = with_log ? mark() : Event();
  if (copies_.front()->source.engine == plan::Engine::dma) {
    copy_by_engines();
  } else {
    copy_by_kernels();
  }
  if (with_log) {
    const Event end = mark();
    for (const CopyOp* op : copies_) target_.log->add(span(op->source, op->bytes), begin, end);
  }
  copies_.clear();
}

void Submission::copy_by_engines() {
  const bool in_batches = driver().cuMemcpyBatchAsync != nullptr && !captured();
  const std::span<const CopyOp* const> all(copies_);
  for (std::size_t first = 0; first < all.size(); first += kMostInABatch) {
    const auto some = all.subspan(first, std::min(kMostInABatch, all.size() - first));
    if (in_batches && copy_as_batch(some)) continue;
    for (const CopyOp* op : some) copy_one(*op);
  }
}

bool Submission::copy_as_batch(std::span<const CopyOp* const> copies) {
  std::array<CUdeviceptr, kMostInABatch> to;
  std::array<CUdeviceptr, kMostInABatch> from;
  std::array<std::size_t, kMostInABatch> bytes;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    to[i] = number_of(copies[i]->dst);
    from[i] = number_of(copies[i]->src);
    bytes[i] = copies[i]->bytes;
  }
  CUmemcpyAttributes attributes{};
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  attributes.flags = CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE;
  std::size_t first = 0;
  const CUresult result = driver().cuMemcpyBatchAsync(
      to.data(), from.data(), bytes.data(), copies.size(), &attributes, &first, 1, target_.stream);
  // Memory that only single copies take, such as the host's pageable one.
  if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED) return false;
  check(result, {"cuMemcpyBatchAsync", target_.gpu->ordinal(), bytes.front()});
  return true;
}

void Submission::copy_one(const CopyOp& op) {
  check(driver().cuMemcpyAsync(number_of(op.dst), number_of(op.src), op.bytes, target_.stream),
        {"cuMemcpyAsync", target_.gpu->ordinal(), op.bytes});
}

void Submission::copy_by_kernels() {
  for (const CopyOp* op : copies_) {
    if (!on_a_gpu(op->dst) || !on_a_gpu(op->src)) {
      copy_one(*op);
      continue;
    }
    const Bytes wanted = (op->bytes + kBytesPerBlock - 1) / kBytesPerBlock;
    const auto blocks = std::min<Bytes>(wanted, static_cast<Bytes>(target_.units));
    target_.gpu->kernels().launch(Kernel::copy, {static_cast<unsigned>(blocks), kCopyThreads},
                                  target_.stream,
                                  CopyRange{static_cast<unsigned char*>(op->dst),
                                            static_cast<const unsigned char*>(op->src), op->bytes});
  }
}

bool Submission::captured() {
  if (!captured_) {
    const Capture found = capture_of(target_.stream, target_.gpu->ordinal());
    captured_ = found.status != CU_STREAM_CAPTURE_STATUS_NONE;
  }
  return *captured_;
}

void Submission::refuse_in_capture(const char* what) {
  if (!captured()) return;
  throw InputError(
      fmt::format("queue {}: its stream is being captured, and {}: run it outside of "
                  "the capture",
                  target_.label, what));
}

bool Submission::logged() { return target_.log->active() && !captured(); }

Event Submission::mark() {
  Event event = target_.gpu->events().take();
  check(driver().cuEventRecord(event.get(), target_.stream),
        {"cuEventRecord", target_.gpu->ordinal()});
  return event;
}

plan::Span Submission::span(const Source& source, Bytes bytes) {
  plan::Span span;
  span.rank = source.origin.rank;
  span.lane = source.label;
  span.step = source.origin.step;
  span.unit = source.engine == plan::Engine::dma && bytes != 0 ? "dma" : "compute";
  span.bytes = bytes;
  return span;
}

}  // namespace conccl::backend::cuda
