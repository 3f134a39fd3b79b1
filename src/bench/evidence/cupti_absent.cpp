// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What stands for CUPTI's tracer where it was not built.
#include "bench/evidence/tracer.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {

std::unique_ptr<Tracer> open_cupti() {
  throw Unavailable("this program was built without CUPTI (its headers were not found)");
}

}  // namespace conccl::bench
