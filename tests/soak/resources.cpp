// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/soak/resources.hpp"

#include <algorithm>
#include <chrono>

#include "tests/support/process_facts.hpp"

namespace conccl::soak {
namespace {

#ifdef CONCCL_SANITIZED
// Their shadow and quarantine grow with whatever is touched.
constexpr std::uint64_t kRssLimit_kib = 1'024 * 1'024;
constexpr std::uint64_t kMapsLimit = 100'000;
#else
constexpr std::uint64_t kRssLimit_kib = 16 * 1'024;
constexpr std::uint64_t kMapsLimit = 16;
#endif

/// Long enough for the watchdogs, which tell the peers what memory is gone.
constexpr std::chrono::milliseconds kSettling{1'500};

}  // namespace

const std::array<Resource, kResources>& resources() {
  static const std::array<Resource, kResources> all{
      Resource{"rss_kib", kRssLimit_kib}, Resource{"descriptors", 0}, Resource{"maps", kMapsLimit},
      Resource{"threads", 0}};
  return all;
}

Resources settled_resources() {
  const auto facts = test::settled_process_facts(kSettling);
  Resources resources{};
  std::ranges::transform(std::array{facts.rss_kib, facts.descriptors, facts.maps, facts.threads},
                         resources.begin(),
                         [](std::int64_t fact) { return static_cast<std::uint64_t>(fact); });
  return resources;
}

}  // namespace conccl::soak
