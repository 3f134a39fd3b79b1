// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// How many files and threads this process has, and a wait until some are gone.
#pragma once

#include <chrono>
#include <thread>

#include "tests/support/process_facts.hpp"

namespace conccl::test {

/// Waits until `condition()`; false when it does not come true within 20 seconds.
template <typename Condition>
bool eventually(const Condition& condition) {
  using namespace std::chrono_literals;
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

}  // namespace conccl::test
