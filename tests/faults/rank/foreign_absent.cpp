// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/errors.hpp"
#include "tests/faults/rank/foreign.hpp"

namespace conccl::test {

Buffers foreign_buffers(backend::Device& /*device*/, const std::string& kind, Bytes /*bytes*/) {
  throw Unavailable("conccl-rank: built without CUDA, no memory of kind " + kind);
}

}  // namespace conccl::test
