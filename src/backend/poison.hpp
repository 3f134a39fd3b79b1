// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What poisoned memory holds, on every backend.
#pragma once

namespace conccl::backend {

inline constexpr unsigned char kPoisonByte = 0xDB;

}  // namespace conccl::backend
