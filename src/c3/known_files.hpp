// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The suite and machine files that come with the library, compiled into it, so that their names
/// work from any directory. Which files: src/c3/CMakeLists.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace conccl::c3 {

struct KnownFile {
  std::string_view name;  ///< without folder and ".toml"
  std::string_view text;
};

[[nodiscard]] std::span<const KnownFile> known_suites();
[[nodiscard]] std::span<const KnownFile> known_machines();

/// nullptr when no file has that name.
[[nodiscard]] const KnownFile* find_known(std::span<const KnownFile> files, std::string_view name);

/// "h200x8, mi300x".
[[nodiscard]] std::string names_of(std::span<const KnownFile> files);

}  // namespace conccl::c3
