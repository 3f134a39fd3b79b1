// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// How GPUs reach an address.
#pragma once

#include <memory>
#include <vector>

#include "backend/hsa/index.hpp"

namespace conccl::backend::hsa {

struct Reached {
  void* pointer = nullptr;  ///< the address as GPUs see it
  abi::hsa_agent_t agent{};
  int gpu = -1;  ///< whose memory it is; -1: the host's
};

/// Makes host memory that the runtime does not know reachable, while what is added to `holds`
/// lives; that also keeps memory of this backend's from being freed. Larger ranges come first, so
/// that those within them share one. Throws RunError, InputError for memory that is neither.
[[nodiscard]] Reached reach(const std::shared_ptr<Runtime>& runtime, const void* address,
                            Bytes bytes, std::vector<std::shared_ptr<void>>& holds);

}  // namespace conccl::backend::hsa
