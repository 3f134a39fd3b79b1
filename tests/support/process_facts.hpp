// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What this process holds of the system, to see whether something leaks.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

namespace conccl::test {

inline int entries_of(const char* folder) {
  const std::filesystem::directory_iterator list(folder);
  return static_cast<int>(std::distance(begin(list), end(list)));
}

inline int open_descriptors() { return entries_of("/proc/self/fd"); }
inline int threads() { return entries_of("/proc/self/task"); }

/// Those whose line in /proc/self/maps has the text.
inline int mappings_with(std::string_view text) {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(text) != std::string::npos) ++count;
  }
  return count;
}

inline std::int64_t resident_kib() {
  std::ifstream file("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE) / 1024;
}

struct ProcessFacts {
  std::int64_t rss_kib = 0;
  std::int64_t descriptors = 0;
  std::int64_t maps = 0;
  std::int64_t shared = 0;  ///< the maps that are ConCCL's shared memory
  std::int64_t threads = 0;
};

inline ProcessFacts process_facts() {
  return {resident_kib(), open_descriptors(), mappings_with(""), mappings_with("memfd:conccl"),
          threads()};
}

/// The least of each over `time`: threads and mappings that are on their way out are gone by then.
inline ProcessFacts settled_process_facts(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds kBetweenLooks{25};
  const auto until = std::chrono::steady_clock::now() + time;
  auto least = process_facts();
  while (std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kBetweenLooks);
    const auto now = process_facts();
    for (const auto fact : {&ProcessFacts::rss_kib, &ProcessFacts::descriptors, &ProcessFacts::maps,
                            &ProcessFacts::shared, &ProcessFacts::threads}) {
      least.*fact = std::min(least.*fact, now.*fact);
    }
  }
  return least;
}

}  // namespace conccl::test
