// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Structures of the C API that grow at their end: they begin with `size`, `magic` and `version`.
#pragma once

#include <cstddef>
#include <string_view>

namespace conccl::capi {

/// What a caller gave, and how it is called in errors.
struct GivenStruct {
  const void* data = nullptr;
  std::string_view what;         ///< "config"
  std::string_view initialiser;  ///< "CONCCL_CONFIG_INITIALIZER"
};

/// Copies what the caller's structure has over `whole`, an initialised one of `size` bytes: what it
/// lacks stays undefined. Throws InputError for one that is not initialised, has a size that no
/// version has, or sets an option that lies behind `whole`.
void complete(const GivenStruct& given, void* whole, std::size_t size);

}  // namespace conccl::capi
