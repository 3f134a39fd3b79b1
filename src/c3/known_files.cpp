// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/known_files.hpp"

#include <algorithm>

namespace conccl::c3 {

const KnownFile* find_known(std::span<const KnownFile> files, std::string_view name) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const KnownFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

std::string names_of(std::span<const KnownFile> files) {
  std::string names;
  for (const KnownFile& file : files) {
    if (!names.empty()) names += ", ";
    names += file.name;
  }
  return names;
}

}  // namespace conccl::c3
