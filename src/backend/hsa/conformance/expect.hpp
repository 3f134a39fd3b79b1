// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What ends a row before its end, and the comparisons that do so.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "backend/hsa/calls.hpp"

namespace conccl::backend::hsa::conformance {

/// The library does otherwise: "expected X, found Y".
class Differs : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// The row has nothing to test here; the reason.
class Skipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// The user ended the program.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("interrupted") {}
};

/// Throws Differs unless `good`. Both texts complete "expected ..., found ...".
void expect(bool good, std::string_view expected, std::string_view found);

/// `what`: the call and its argument.
void expect_status(const Calls& calls, abi::hsa_status_t found, abi::hsa_status_t expected,
                   std::string_view what);
/// Any error will do. Returns its text.
std::string expect_error(const Calls& calls, abi::hsa_status_t found, std::string_view what);

/// `what`: whose bytes these are.
void expect_bytes(std::span<const std::byte> found, std::span<const std::byte> expected,
                  std::string_view what);

/// The same for the same seed.
[[nodiscard]] std::vector<std::byte> random_bytes(std::size_t count, unsigned seed);

}  // namespace conccl::backend::hsa::conformance
