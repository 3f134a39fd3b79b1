// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What an initialised runtime says of its devices.
#pragma once

#include <vector>

#include "backend/hsa/conformance/session.hpp"

namespace conccl::backend::hsa::conformance {

struct Devices {
  std::vector<Gpu> gpus;
  abi::hsa_agent_t host{};  ///< the first CPU
  std::vector<Pool> host_pools;
};

/// Of all agents. What cannot be read is left at zero: a row or the transcript shows it.
[[nodiscard]] Devices discover(const Library& library);

/// Fills the links among `devices`.
void discover_links(const Library& library, const std::string& sys, Devices& devices);

/// A variable that is set to `value`, as the runtime reads it.
[[nodiscard]] bool variable_is(const char* name, const char* value);

}  // namespace conccl::backend::hsa::conformance
