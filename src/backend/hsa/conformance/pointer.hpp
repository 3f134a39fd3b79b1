// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the runtime says of an address.
#pragma once

#include <algorithm>
#include <vector>

#include "backend/hsa/conformance/session.hpp"

namespace conccl::backend::hsa::conformance {

struct PointerFacts {
  abi::hsa_amd_pointer_info_t info{};
  std::vector<abi::hsa_agent_t> agents;  ///< that reach it

  [[nodiscard]] bool reached_by(abi::hsa_agent_t agent) const {
    return std::any_of(agents.begin(), agents.end(),
                       [agent](abi::hsa_agent_t one) { return one.handle == agent.handle; });
  }
};

/// Throws RunError when the runtime refuses.
[[nodiscard]] PointerFacts pointer_facts(const Session& session, const void* pointer);

}  // namespace conccl::backend::hsa::conformance
