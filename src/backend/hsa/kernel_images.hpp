// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The compiled kernels within the program: one ELF code object per kind of GPU.
#pragma once

#include <string>
#include <vector>

#include "backend/kernel_image.hpp"

namespace conccl::backend::hsa {

/// Named by what they were compiled for: "gfx942". The build writes this.
[[nodiscard]] std::span<const KernelImage> code_objects();

/// For GPUs of that name, as an agent has it; empty: there is none.
[[nodiscard]] std::span<const unsigned char> kernel_image(std::string_view isa);

/// "gfx90a", "gfx942".
[[nodiscard]] std::vector<std::string> kernel_targets();

/// Why this program has no kernels at all; empty: it has.
[[nodiscard]] std::string_view kernels_missing_reason();

}  // namespace conccl::backend::hsa
