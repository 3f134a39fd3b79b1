// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/queued_work.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace conccl::backend::host {

void perform(const Op& mark) {
  if (const auto* signal = std::get_if<SignalOp>(&mark)) {
    signal->flag.block->raise(signal->flag.index, signal->value);
  } else if (const auto* timestamp = std::get_if<TimestampOp>(&mark)) {
    *timestamp->slot = std::chrono::steady_clock::now().time_since_epoch();
  }
}

void QueuedWork::started() { std::for_each(marks_.before.begin(), marks_.before.end(), perform); }

void QueuedWork::finished() { std::for_each(marks_.after.begin(), marks_.after.end(), perform); }

void CopyBatch::assign(std::span<const Op> copies) {
  chunks_.clear();
  for (const Op& op : copies) {
    const CopyOp& copy = std::get<CopyOp>(op);
    for (Bytes at = 0; at < copy.bytes; at += kChunkBytes) {
      chunks_.push_back(
          {copy.dst + at, copy.src + at, std::min(kChunkBytes, copy.bytes - at), copy.origin});
    }
  }
}

void CopyBatch::run(std::size_t piece) {
  const CopyOp& chunk = chunks_[piece];
  std::memcpy(chunk.dst, chunk.src, chunk.bytes);
}

}  // namespace conccl::backend::host
