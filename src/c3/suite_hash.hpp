// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "conccl/c3/suite.hpp"

namespace conccl::c3 {

/// 16 hex digits: 64-bit FNV-1a over the type and each scenario's name, shape, collective, size
/// and, where it differs, type, in the order they run. The suite's own name and the scenarios'
/// sources are left out.
[[nodiscard]] std::string suite_hash(const Suite& suite);

}  // namespace conccl::c3
