// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What this process has open and mapped.
#pragma once

#include "tests/support/process_facts.hpp"

namespace conccl::backend::host {

[[nodiscard]] inline int open_files() { return test::open_descriptors(); }

/// Mappings of device memory, own and other processes'.
[[nodiscard]] inline int device_mappings() { return test::mappings_with("memfd:conccl-device"); }

}  // namespace conccl::backend::host
