// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the kernel's driver says of the links between GPUs.
#pragma once

#include <cstdint>
#include <string>

namespace conccl::backend::hsa::conformance {

/// The engines that the driver recommends from one node to another; 0: none, or too old a driver.
[[nodiscard]] std::uint32_t recommended_engines(const std::string& sys, std::uint32_t from,
                                                std::uint32_t to);

/// A file's first line; empty: not there.
[[nodiscard]] std::string first_line(const std::string& path);

}  // namespace conccl::backend::hsa::conformance
