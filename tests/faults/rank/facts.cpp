// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/faults/rank/facts.hpp"

#include <fmt/format.h>

namespace conccl::test {

std::string text_of(const ProcessFacts& facts) {
  return fmt::format("rss_kib={} files={} maps={} shared={} threads={}", facts.rss_kib,
                     facts.descriptors, facts.maps, facts.shared, facts.threads);
}

}  // namespace conccl::test
