// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/soak/resources.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace conccl::soak {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Their shadow and quarantine grow with whatever is touched.
constexpr std::uint64_t kRssLimit_kib = 1'024 * 1'024;
constexpr std::uint64_t kMapsLimit = 100'000;
#else
constexpr std::uint64_t kRssLimit_kib = 16 * 1'024;
constexpr std::uint64_t kMapsLimit = 16;
#endif

/// Long enough for the watchdogs, which tell the peers what memory is gone.
constexpr std::chrono::milliseconds kSettling{1'500};
constexpr std::chrono::milliseconds kBetweenLooks{25};

std::uint64_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator list(folder);
  return static_cast<std::uint64_t>(std::distance(begin(list), end(list)));
}

std::uint64_t rss_kib() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 1'024;
}

std::uint64_t maps() {
  std::ifstream file("/proc/self/maps");
  return static_cast<std::uint64_t>(
      std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n'));
}

}  // namespace

const std::array<Resource, kResources>& resources() {
  static const std::array<Resource, kResources> all{
      Resource{"rss_kib", kRssLimit_kib}, Resource{"descriptors", 0}, Resource{"maps", kMapsLimit},
      Resource{"threads", 0}};
  return all;
}

Resources current_resources() {
  return {rss_kib(), entries_of("/proc/self/fd"), maps(), entries_of("/proc/self/task")};
}

Resources settled_resources() {
  Resources least = current_resources();
  const auto until = std::chrono::steady_clock::now() + kSettling;
  while (std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kBetweenLooks);
    const auto now = current_resources();
    for (std::size_t i = 0; i < kResources; ++i) least[i] = std::min(least[i], now[i]);
  }
  return least;
}

}  // namespace conccl::soak
