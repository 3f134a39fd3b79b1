// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Reading what `conccl profile --samples` wrote.
#pragma once

#include <string>
#include <string_view>

#include "conccl/bench/profile.hpp"

namespace conccl::cli {

/// Throws InputError with file, line and column for what is no JSON, with file and field for
/// another schema and a field that is missing or out of range.
[[nodiscard]] bench::Profile read_profile(const std::string& path);
/// The same of the text; `name` is what errors call it.
[[nodiscard]] bench::Profile parse_profile(std::string_view text, const std::string& name);

}  // namespace conccl::cli
