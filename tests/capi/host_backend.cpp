// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// These tests read and write their buffers by the CPU, so they run on the host backend everywhere.

#include <cstdlib>

namespace {

[[maybe_unused]] const int kChosen = setenv("CONCCL_BACKEND", "host", 1);

}  // namespace
