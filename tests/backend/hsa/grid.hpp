// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Runs what a kernel's work-items do on the host, one after the other, over memory of which every
/// byte beside a range is watched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "backend/hsa/kernels/work.hpp"

namespace conccl::backend::hsa {

/// Work-items: one, fewer than a word has bytes, a workgroup, one that divides nothing.
inline constexpr std::uint64_t kGrids[] = {1, 3, 256, 1021};

template <typename Work>
void for_each_item(std::uint64_t items, Work work) {
  for (std::uint64_t i = 0; i < items; ++i) work(WorkItem{i, items});
}

/// `bytes` bytes that begin `misaligned` bytes after a multiple of 64.
class Watched {
 public:
  static constexpr std::uint64_t kZone = 64;
  static constexpr unsigned char kMark = 0xA5;

  Watched(std::uint64_t bytes, std::uint64_t misaligned)
      : all_(4 * kZone + bytes, kMark), bytes_(bytes) {
    const std::uint64_t to_multiple = (kZone - address_of(all_.data()) % kZone) % kZone;
    begin_ = all_.data() + kZone + to_multiple + misaligned;
  }

  [[nodiscard]] unsigned char* data() { return begin_; }
  [[nodiscard]] std::vector<unsigned char> content() const { return {begin_, begin_ + bytes_}; }
  /// Nothing beside the range has been written.
  [[nodiscard]] bool intact() const {
    const auto marked = [](unsigned char byte) { return byte == kMark; };
    const unsigned char* const first = all_.data();
    const unsigned char* const begin = begin_;
    return std::all_of(first, begin, marked) &&
           std::all_of(begin + bytes_, first + all_.size(), marked);
  }

 private:
  std::vector<unsigned char> all_;
  std::uint64_t bytes_;
  unsigned char* begin_ = nullptr;
};

}  // namespace conccl::backend::hsa
