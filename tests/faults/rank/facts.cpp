// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/faults/rank/facts.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace conccl::test {
namespace {

std::ptrdiff_t entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

long resident_kib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  long kib = 0;
  while (status >> word) {
    if (word == "VmRSS:") status >> kib;
  }
  return kib;
}

}  // namespace

std::string process_facts() {
  std::ifstream file("/proc/self/maps");
  std::string line;
  int maps = 0;
  int shared = 0;
  while (std::getline(file, line)) {
    ++maps;
    if (line.find("memfd:conccl") != std::string::npos) ++shared;
  }
  return fmt::format("rss_kib={} files={} maps={} shared={} threads={}", resident_kib(),
                     entries("/proc/self/fd"), maps, shared, entries("/proc/self/task"));
}

}  // namespace conccl::test
