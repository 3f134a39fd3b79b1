// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/conformance/expect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "backend/hsa/library.hpp"

namespace conccl::backend::hsa::conformance {

void expect(bool good, std::string_view expected, std::string_view found) {
  if (!good) throw Differs(fmt::format("expected {}, found {}", expected, found));
}

void expect_status(const Calls& calls, abi::hsa_status_t found, abi::hsa_status_t expected,
                   std::string_view what) {
  expect(found == expected, fmt::format("{} of {}", text_of(calls, expected), what),
         text_of(calls, found));
}

std::string expect_error(const Calls& calls, abi::hsa_status_t found, std::string_view what) {
  expect(found != abi::HSA_STATUS_SUCCESS, fmt::format("an error of {}", what),
         text_of(calls, found));
  return text_of(calls, found);
}

void expect_bytes(std::span<const std::byte> found, std::span<const std::byte> expected,
                  std::string_view what) {
  expect(found.size() == expected.size(), fmt::format("{} bytes of {}", expected.size(), what),
         fmt::format("{}", found.size()));
  std::size_t wrong = 0;
  std::size_t first = 0;
  for (std::size_t at = found.size(); at-- > 0;) {
    if (found[at] == expected[at]) continue;
    ++wrong;
    first = at;
  }
  if (wrong == 0) return;
  throw Differs(fmt::format("{}: expected byte {} to be 0x{:02x}, found 0x{:02x} ({} of {} wrong)",
                            what, first, std::to_integer<unsigned>(expected[first]),
                            std::to_integer<unsigned>(found[first]), wrong, found.size()));
}

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937_64 words(seed);
  std::vector<std::byte> bytes(count);
  for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = words();
    std::memcpy(bytes.data() + at, &word, std::min(count - at, sizeof word));
  }
  return bytes;
}

}  // namespace conccl::backend::hsa::conformance
