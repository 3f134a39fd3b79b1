// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `ErrorText`: one line about a failure, kept without allocating.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace conccl::capi {

/// Holds at most kMost characters; longer lines are cut. One thread at a time.
class ErrorText {
 public:
  static constexpr std::size_t kMost = 1023;

  void set(std::string_view line) noexcept {
    const auto length = std::min(line.size(), kMost);
    std::copy_n(line.begin(), length, text_.begin());
    text_.at(length) = '\0';
  }
  [[nodiscard]] const char* c_str() const noexcept { return text_.data(); }

 private:
  std::array<char, kMost + 1> text_{};
};

}  // namespace conccl::capi
