// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Numbers that nobody else has, and nobody can guess.
#pragma once

#include <array>
#include <cstddef>

namespace conccl {

/// 128 bits of the system's random generator. Throws RunError when it gives none.
[[nodiscard]] std::array<std::byte, 16> random_id();

}  // namespace conccl
