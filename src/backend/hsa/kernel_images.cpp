// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/kernel_images.hpp"

namespace conccl::backend::hsa {

std::span<const unsigned char> kernel_image(std::string_view isa) {
  for (const KernelImage& image : code_objects()) {
    if (image.name == isa) return image.bytes;
  }
  return {};
}

std::vector<std::string> kernel_targets() {
  std::vector<std::string> names;
  for (const KernelImage& image : code_objects()) names.emplace_back(image.name);
  return names;
}

std::string_view kernels_missing_reason() {
  // Of the build's: the compiler's own words.
  return CONCCL_HSA_MISSING;
}

}  // namespace conccl::backend::hsa
