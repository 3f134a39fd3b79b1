// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What this process holds, as text.
#pragma once

#include <string>

#include "tests/support/process_facts.hpp"

namespace conccl::test {

/// "rss_kib=812 files=9 maps=80 shared=3 threads=12"; `shared`: mappings of ConCCL's memory.
[[nodiscard]] std::string text_of(const ProcessFacts& facts);

}  // namespace conccl::test
