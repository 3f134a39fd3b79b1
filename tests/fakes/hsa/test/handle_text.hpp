// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Handles of exported memory as words of a command line.
#pragma once

#include <cstdio>
#include <string>

#include "backend/hsa/abi.hpp"

namespace conccl::test::fake_hsa {

inline std::string to_text(const backend::hsa::abi::hsa_amd_ipc_memory_t& handle) {
  std::string text;
  for (const auto word : handle.handle) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", word);
    text += digits;
  }
  return text;
}

inline backend::hsa::abi::hsa_amd_ipc_memory_t to_handle(const std::string& text) {
  backend::hsa::abi::hsa_amd_ipc_memory_t handle{};
  std::size_t at = 0;
  for (auto& word : handle.handle) {
    word = static_cast<std::uint32_t>(std::stoul(text.substr(at, 8), nullptr, 16));
    at += 8;
  }
  return handle;
}

}  // namespace conccl::test::fake_hsa
