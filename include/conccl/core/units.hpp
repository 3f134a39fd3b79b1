// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Units and their text forms. K, M, G and T are powers of 1,024 throughout the project.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace conccl {

using Bytes = std::uint64_t;
using Nanoseconds = std::chrono::nanoseconds;
using Milliseconds = std::chrono::duration<double, std::milli>;
using Seconds = std::chrono::duration<double>;

inline constexpr Bytes kKiB = Bytes{1} << 10;
inline constexpr Bytes kMiB = Bytes{1} << 20;
inline constexpr Bytes kGiB = Bytes{1} << 30;

/// Reads "0", "1536", "64K", "8M", "1G", "2T" (an optional trailing "B" or "iB" is allowed).
/// Throws InputError naming the text for anything else: empty, negative, fractional, an unknown
/// suffix, or a value over 2^63 - 1.
[[nodiscard]] Bytes parse_bytes(std::string_view text);

/// The shortest exact form: 65536 is "64K", 1537 is "1537".
[[nodiscard]] std::string format_bytes(Bytes bytes);

/// `a * b`, or InputError naming `what` when the product does not fit 2^63 - 1.
[[nodiscard]] Bytes checked_product(Bytes a, Bytes b, std::string_view what);

/// A duration in milliseconds, as the reports print it.
[[nodiscard]] constexpr double to_ms(Nanoseconds value) {
  return std::chrono::duration_cast<Milliseconds>(value).count();
}

}  // namespace conccl
