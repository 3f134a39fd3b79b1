// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/free_ranges.hpp"

#include <iterator>

#include "conccl/core/errors.hpp"

namespace conccl::backend::host {

FreeRanges::FreeRanges(Bytes bytes) : free_(bytes), ranges_{{0, bytes}} {}

std::optional<Bytes> FreeRanges::take(Bytes bytes, Bytes alignment) {
  if (bytes > free_) return std::nullopt;
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    const auto [begin, length] = *range;
    const Bytes offset = (begin + alignment - 1) / alignment * alignment;
    const Bytes end = begin + length;
    if (offset > end || end - offset < bytes) continue;
    if (offset + bytes < end) ranges_.emplace(offset + bytes, end - offset - bytes);
    if (offset > begin) {
      range->second = offset - begin;
    } else {
      ranges_.erase(range);
    }
    free_ -= bytes;
    return offset;
  }
  return std::nullopt;
}

void FreeRanges::give_back(Bytes offset, Bytes bytes) {
  const auto [range, taken] = ranges_.emplace(offset, bytes);
  ensure(taken, "what is given back was taken");
  free_ += bytes;
  if (const auto next = std::next(range); next != ranges_.end() && next->first == offset + bytes) {
    range->second += next->second;
    ranges_.erase(next);
  }
  if (range == ranges_.begin()) return;
  const auto previous = std::prev(range);
  if (previous->first + previous->second != range->first) return;
  previous->second += range->second;
  ranges_.erase(range);
}

}  // namespace conccl::backend::host
