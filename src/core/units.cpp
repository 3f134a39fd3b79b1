// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>

#include "conccl/core/errors.hpp"

namespace conccl {
namespace {

constexpr Bytes kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kSuffixes = "KMGT";

[[noreturn]] void reject(std::string_view text, std::string_view why) {
  throw InputError(fmt::format(
      "\"{}\" is not a byte count: {}; expected a whole number, optionally with K, M, G or T, "
      "such as 1536, 64K or 8M",
      text, why));
}

/// The power of two that a suffix stands for; nothing when it is not one.
std::optional<int> shift_of(std::string_view suffix) {
  if (suffix.empty() || suffix == "B") return 0;
  const auto index = kSuffixes.find(suffix.front());
  if (index == std::string_view::npos) return std::nullopt;
  const auto rest = suffix.substr(1);
  if (!rest.empty() && rest != "B" && rest != "iB") return std::nullopt;
  return static_cast<int>(index + 1) * 10;
}

}  // namespace

Bytes parse_bytes(std::string_view text) {
  if (text.empty()) reject(text, "it is empty");
  if (text.front() == '-') reject(text, "it is negative");
  Bytes count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, count);
  if (status == std::errc::invalid_argument) reject(text, "it does not start with a digit");
  if (status == std::errc::result_out_of_range) reject(text, "it is over 2^63 - 1");
  if (stop != end && *stop == '.') reject(text, "it is fractional");
  const std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
  const auto shift = shift_of(suffix);
  if (!shift) reject(text, fmt::format("the suffix \"{}\" is not known", suffix));
  if (count > (kLargest >> *shift)) reject(text, "it is over 2^63 - 1");
  return count << *shift;
}

std::string format_bytes(Bytes bytes) {
  std::size_t suffixes = 0;
  while (bytes != 0 && bytes % 1024 == 0 && suffixes < kSuffixes.size()) {
    bytes /= 1024;
    ++suffixes;
  }
  return suffixes == 0 ? fmt::format("{}", bytes)
                       : fmt::format("{}{}", bytes, kSuffixes[suffixes - 1]);
}

Bytes checked_product(Bytes a, Bytes b, std::string_view what) {
  if (a != 0 && b > kLargest / a) {
    throw InputError(fmt::format("{}: {} times {} is too large; expected at most 2^63 - 1 ({})",
                                 what, a, b, kLargest));
  }
  return a * b;
}

}  // namespace conccl
