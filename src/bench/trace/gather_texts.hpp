// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Bytes of any length from every process of a run to every other.
#pragma once

#include <string>
#include <vector>

#include "bench/ranks.hpp"

namespace conccl::bench {

/// Collective: what every process gave, in order of its first rank. Where all ranks are in this
/// process there is one. For what is gathered now and then: it goes in pieces of a few kilobytes.
[[nodiscard]] std::vector<std::string> gather_texts(Ranks& ranks, const std::string& mine);

}  // namespace conccl::bench
