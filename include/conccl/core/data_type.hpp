// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Element types of collectives.
#pragma once

#include <cstddef>
#include <string_view>

#include "conccl/core/units.hpp"

namespace conccl {

enum class DataType {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  bfloat16
};

[[nodiscard]] Bytes size_of(DataType type);

/// "float32", ...
[[nodiscard]] std::string_view name_of(DataType type);

/// Also accepts nccl-tests' names ("float", "half", "double"). Throws InputError listing the known.
[[nodiscard]] DataType parse_data_type(std::string_view name);

}  // namespace conccl
