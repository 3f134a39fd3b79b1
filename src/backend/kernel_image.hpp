// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What kernels are compiled to, within the program.
#pragma once

#include <span>
#include <string_view>

namespace conccl::backend {

struct KernelImage {
  std::string_view name;
  std::span<const unsigned char> bytes;  ///< begin at a multiple of 16
};

}  // namespace conccl::backend
