// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/queued_work.hpp"

#include <algorithm>
#include <cstring>

namespace conccl::backend::host {

void QueuedWork::started() { threaded::perform(marks_.before); }

void QueuedWork::finished() { threaded::perform(marks_.after); }

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
