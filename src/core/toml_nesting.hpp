// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Nesting of TOML text, found without nesting. The TOML library builds tables in tables as deep as
/// a dotted key says, and takes them down by recursion: a key of some thousand parts ends the
/// stack, and no handler sees it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace conccl {

inline constexpr int kMaxTomlNesting = 16;

/// Offset of the first place where brackets are open, or a key has parts, beyond kMaxTomlNesting;
/// nothing when there is none. Text that is no TOML is judged up to its first error.
[[nodiscard]] std::optional<std::size_t> excessive_toml_nesting(std::string_view toml);

}  // namespace conccl
