// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// How many files and threads this process has, to see whether some leak.
#pragma once

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

namespace conccl::test {

inline int open_descriptors() {
  const std::filesystem::directory_iterator list("/proc/self/fd");
  return static_cast<int>(std::distance(begin(list), end(list)));
}

inline int threads() {
  const std::filesystem::directory_iterator list("/proc/self/task");
  return static_cast<int>(std::distance(begin(list), end(list)));
}

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
