// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The head of a transcript: what a reader elsewhere has to know of the machine.
#pragma once

#include <string>
#include <vector>

#include "backend/hsa/conformance/session.hpp"

namespace conccl::backend::hsa::conformance {

struct Fact {
  std::string name;
  std::string value;
};

/// Of the program, the kernel, its driver and the variables that change what the runtime does.
[[nodiscard]] std::vector<Fact> machine_facts(const std::string& sys);
[[nodiscard]] std::vector<Fact> library_facts(const Library& library);
[[nodiscard]] std::vector<Fact> device_facts(const Session& session);

}  // namespace conccl::backend::hsa::conformance
