// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Options with limits, so that a wrong value is one clear line.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/core/units.hpp"
#include "conccl/plan/build.hpp"

namespace conccl::cli {

struct Limits {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

inline constexpr Limits kAnyCount{0, 1'000'000'000};
inline constexpr Limits kAtLeastOne{1, 1'000'000'000};

/// `names` as CLI11 takes them ("-n,--iters"); the target's value is the default. A value that is
/// not a whole number within `limits` is an InputError that names the option. Owned by `app`.
CLI::Option* add_int(CLI::App& app, const std::string& names, int& target, Limits limits,
                     const std::string& what);
void add_seed(CLI::App& app, std::uint64_t& target);
/// As `parse_bytes`; the error names the option.
void add_bytes(CLI::App& app, const std::string& names, Bytes& target, const std::string& what);

/// "a,b" to its parts. Throws InputError, naming `option`, for an empty part.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text, std::string_view option);

/// "push" or "pull". Throws InputError for anything else.
[[nodiscard]] plan::Direction parse_direction(std::string_view name);

}  // namespace conccl::cli
