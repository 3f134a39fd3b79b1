// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What this layer writes as JSON, and how.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "conccl/bench/check_counts.hpp"
#include "conccl/core/statistics.hpp"

namespace conccl::bench {

/// Fields keep the order in which they are written.
using Json = nlohmann::ordered_json;

[[nodiscard]] Json as_json(const Summary& summary);
[[nodiscard]] Json as_json(const CheckCounts& counts);

/// The whole on one line. Names may come from files: bytes that are not UTF-8 become U+FFFD rather
/// than an exception.
[[nodiscard]] std::string line_of(const Json& json);
/// Indented, as a file.
[[nodiscard]] std::string file_of(const Json& json);

}  // namespace conccl::bench
