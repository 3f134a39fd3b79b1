// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What this process has open and mapped.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace conccl::backend::host {

[[nodiscard]] inline std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

/// Mappings of device memory, own and other processes'.
[[nodiscard]] inline int device_mappings() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("memfd:conccl-device") != std::string::npos) ++count;
  }
  return count;
}

}  // namespace conccl::backend::host
