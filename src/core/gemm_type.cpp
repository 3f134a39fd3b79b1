// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/gemm_type.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>

#include "conccl/core/errors.hpp"

namespace conccl {
namespace {

constexpr std::array kTypes{GemmType::bf16, GemmType::fp16, GemmType::fp8, GemmType::fp32};

struct TypeFacts {
  std::string_view name;
  Bytes operand;
  Bytes result;
};

/// By type, in the order of the enum.
constexpr std::array<TypeFacts, kTypes.size()> kFacts{
    {{"bf16", 2, 2}, {"fp16", 2, 2}, {"fp8", 1, 2}, {"fp32", 4, 4}}};

const TypeFacts& facts_of(GemmType type) { return kFacts.at(static_cast<std::size_t>(type)); }

}  // namespace

std::span<const GemmType> all_gemm_types() { return kTypes; }

std::string_view name_of(GemmType type) { return facts_of(type).name; }

GemmType parse_gemm_type(std::string_view name) {
  std::array<std::string_view, kTypes.size()> known;
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    known[i] = name_of(kTypes[i]);
    if (known[i] == name) return kTypes[i];
  }
  throw InputError(fmt::format("GEMM type: '{}' is not known; expected one of {}", name,
                               fmt::join(known, ", ")));
}

Bytes operand_bytes(GemmType type) { return facts_of(type).operand; }

Bytes result_bytes(GemmType type) { return facts_of(type).result; }

}  // namespace conccl
