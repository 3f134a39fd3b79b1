// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Random`: the same numbers from the same seeds, on every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace conccl::soak {

/// splitmix64.
class Random {
 public:
  explicit Random(std::initializer_list<std::uint64_t> seeds) {
    for (const std::uint64_t seed : seeds) state_ = next() ^ seed;
  }

  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }

  /// 0 .. limit - 1, and 0 when that is empty.
  std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : next() % limit; }
  int below(int limit) { return static_cast<int>(below(static_cast<std::uint64_t>(limit))); }
  bool one_in(std::uint64_t times) { return below(times) == 0; }

  /// 0 .. most; every order of magnitude is as likely as any other.
  std::uint64_t magnitude(std::uint64_t most) {
    const auto bits = static_cast<std::uint64_t>(std::bit_width(most));
    const std::uint64_t limit = std::uint64_t{1} << below(bits + 1);
    return below(limit < most ? limit : most + 1);
  }

  template <typename T>
  const T& pick(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(values.size()))];
  }

  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t left = values.size(); left > 1; --left) {
      std::swap(values[left - 1], values[static_cast<std::size_t>(below(left))]);
    }
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace conccl::soak
