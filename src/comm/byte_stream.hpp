// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Integers, texts and blocks of bytes, one after the other, little-endian.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conccl::comm {

class ByteWriter {
 public:
  template <std::unsigned_integral Integer>
  void put(Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
  }
  void put(std::span<const std::byte> block) {
    bytes_.insert(bytes_.end(), block.begin(), block.end());
  }
  /// With its length in front. Cut to `limit`.
  void put_text(std::string_view text, std::size_t limit);
  /// With its length in front. A longer one is a broken invariant.
  void put_list(std::span<const std::byte> list, std::size_t limit);

  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Throws InputError naming the byte at which the bytes end too early, or a length is over its
/// limit; nothing is allocated before that is known. A view: the bytes must outlive it.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <std::unsigned_integral Integer>
  [[nodiscard]] Integer get() {
    const auto raw = take(sizeof(Integer));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      value |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
    }
    return static_cast<Integer>(value);
  }
  template <std::size_t kBytes>
  [[nodiscard]] std::array<std::byte, kBytes> get_block() {
    std::array<std::byte, kBytes> block;
    const auto raw = take(kBytes);
    std::copy(raw.begin(), raw.end(), block.begin());
    return block;
  }
  [[nodiscard]] std::string get_text(std::size_t limit);
  [[nodiscard]] std::vector<std::byte> get_list(std::size_t limit);
  /// A number of things, at most `limit`.
  [[nodiscard]] std::size_t get_count(std::size_t limit);
  /// Throws InputError when bytes are left over.
  void finish() const;

 private:
  [[nodiscard]] std::span<const std::byte> take(std::size_t count);

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace conccl::comm
