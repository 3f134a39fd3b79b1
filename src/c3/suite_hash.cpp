// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/suite_hash.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace conccl::c3 {
namespace {

std::string size_text(const Scenario& scenario) {
  if (scenario.bytes) return fmt::format("bytes {}", *scenario.bytes);
  if (scenario.bytes_per_rank) return fmt::format("bytes_per_rank {}", *scenario.bytes_per_rank);
  return fmt::format("ratio {}", scenario.ratio.value());
}

/// Only of a type that is not the suite's: hashes are older than types of scenarios.
std::string type_text(const Suite& suite, const Scenario& scenario) {
  if (scenario.gemm.type == suite.type) return {};
  return fmt::format(" type {}", name_of(scenario.gemm.type));
}

/// No field can hold a space or a newline, so different content gives different text.
std::string canonical_text(const Suite& suite) {
  std::string text = fmt::format("conccl.suite/1 {}\n", name_of(suite.type));
  for (const Scenario& scenario : suite.scenarios) {
    text += fmt::format("{} {} {} {}{}\n", scenario.name, to_string(scenario.gemm.shape),
                        plan::name_of(scenario.collective), size_text(scenario),
                        type_text(suite, scenario));
  }
  return text;
}

std::uint64_t fnv1a(std::string_view text) {
  constexpr std::uint64_t kOffsetBasis = 0xcbf29ce484222325;
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t hash = kOffsetBasis;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

}  // namespace

std::string suite_hash(const Suite& suite) {
  return fmt::format("{:016x}", fnv1a(canonical_text(suite)));
}

}  // namespace conccl::c3
