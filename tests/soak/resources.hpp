// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What this process holds of the system, and how much more of it is a leak.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace conccl::soak {

struct Resource {
  std::string_view name;
  std::uint64_t limit = 0;  ///< growth beyond it fails the soak
};

inline constexpr std::size_t kResources = 4;
/// By index of `Resources`. Memory has slack for the allocators' caches, which fill up slowly.
[[nodiscard]] const std::array<Resource, kResources>& resources();

/// RSS in KiB, open descriptors, mappings, threads.
using Resources = std::array<std::uint64_t, kResources>;

/// What the process holds once threads and mappings that are on their way out are gone: the least
/// over a short while.
[[nodiscard]] Resources settled_resources();

}  // namespace conccl::soak
