// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What went wrong when the system gave no descriptor.
#pragma once

#include <string>

namespace conccl {

/// One line for `error` (an errno) of `call`; at the limit of open files it names the limit and how
/// to raise it.
[[nodiscard]] std::string no_descriptor(const std::string& call, int error);

}  // namespace conccl
