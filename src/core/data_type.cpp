// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/data_type.hpp"

#include <fmt/format.h>

#include <array>

#include "conccl/core/errors.hpp"

namespace conccl {
namespace {

struct TypeFacts {
  DataType type;
  Bytes size;
  std::string_view name;
  std::string_view alias;
};

constexpr std::array kTypes{
    TypeFacts{DataType::int8, 1, "int8", "char"},
    TypeFacts{DataType::uint8, 1, "uint8", "uchar"},
    TypeFacts{DataType::int32, 4, "int32", "int"},
    TypeFacts{DataType::uint32, 4, "uint32", "uint"},
    TypeFacts{DataType::int64, 8, "int64", "long"},
    TypeFacts{DataType::uint64, 8, "uint64", "ulong"},
    TypeFacts{DataType::float16, 2, "float16", "half"},
    TypeFacts{DataType::float32, 4, "float32", "float"},
    TypeFacts{DataType::float64, 8, "float64", "double"},
    TypeFacts{DataType::bfloat16, 2, "bfloat16", "bf16"},
};

const TypeFacts& facts_of(DataType type) {
  for (const auto& facts : kTypes) {
    if (facts.type == type) return facts;
  }
  throw InputError(
      fmt::format("data type: {} is not one of {}", static_cast<int>(type), kTypes.size()));
}

}  // namespace

Bytes size_of(DataType type) { return facts_of(type).size; }

std::string_view name_of(DataType type) { return facts_of(type).name; }

DataType parse_data_type(std::string_view name) {
  std::string known;
  for (const auto& facts : kTypes) {
    if (facts.name == name || facts.alias == name) return facts.type;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", facts.name);
  }
  throw InputError(fmt::format("data type: '{}' is not known; known are {}", name, known));
}

}  // namespace conccl
