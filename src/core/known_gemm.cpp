// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "conccl/core/machine.hpp"

namespace conccl {

const KnownGemm* known_gemm(const ModelFacts& model, const GemmSpec& gemm) {
  const auto found = std::find_if(model.gemms.begin(), model.gemms.end(),
                                  [&](const KnownGemm& known) { return known.gemm == gemm; });
  return found == model.gemms.end() ? nullptr : &*found;
}

std::string source_field(const GemmSpec& gemm) {
  return fmt::format("model.gemm.{}.{}", to_string(gemm.shape), name_of(gemm.type));
}

}  // namespace conccl
