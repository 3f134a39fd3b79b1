// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// From what went wrong to what the tool exits with.
#pragma once

#include <exception>

#include "conccl/cli/tool.hpp"

namespace conccl::cli {

[[nodiscard]] ExitCode exit_code_of(const std::exception& error) noexcept;

}  // namespace conccl::cli
