// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "core/available_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

namespace conccl {
namespace {

namespace fs = std::filesystem;

/// The files of one version of control groups; they differ in names only.
struct GroupFiles {
  std::string_view mount;
  std::string_view limit;
  std::string_view usage;
  std::string_view cache_prefix;  ///< of the lines of memory.stat that count every group below too
};
constexpr GroupFiles kVersion2{"sys/fs/cgroup", "memory.max", "memory.current", ""};
constexpr GroupFiles kVersion1{"sys/fs/cgroup/memory", "memory.limit_in_bytes",
                               "memory.usage_in_bytes", "total_"};

/// "max", an absent file and a number too large to be meant are all no number.
std::optional<Bytes> number_in(const fs::path& file) {
  std::ifstream in(file);
  Bytes value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

/// The number after `key` in a file of lines of a word and a number.
Bytes number_of(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.size() <= key.size() || !line.starts_with(key)) continue;
    if (const char next = line[key.size()]; next != ' ' && next != ':') continue;
    return std::strtoull(line.c_str() + key.size() + 1, nullptr, 10);
  }
  return 0;
}

/// Pages of files count as used, yet the kernel drops them before it refuses memory to a group.
Bytes cached_in(const fs::path& group, const GroupFiles& files) {
  const std::string prefix(files.cache_prefix);
  const fs::path statistics = group / "memory.stat";
  return number_of(statistics, prefix + "inactive_file") +
         number_of(statistics, prefix + "active_file");
}

void bound_by(AvailableMemory& least, const fs::path& group, const GroupFiles& files) {
  const auto limit = number_in(group / files.limit);
  const auto usage = number_in(group / files.usage);
  if (!limit || !usage) return;
  const Bytes cached = std::min(*usage, cached_in(group, files));
  const Bytes used = *usage - cached;
  const Bytes left = *limit > used ? *limit - used : 0;
  if (left < least.bytes) {
    least = {left, fmt::format("{} is {}", (group / files.limit).string(), *limit)};
  }
}

/// A group's limit holds for all groups below it. In a container the group's own folder is often
/// the mount itself, while /proc/self/cgroup names the path outside; so folders that are missing
/// are passed over, and the mount is always looked at.
void bound_by_ancestry(AvailableMemory& least, const fs::path& root, const std::string& path,
                       const GroupFiles& files) {
  const fs::path mount = root / files.mount;
  fs::path group = fs::path(path).relative_path();
  for (; !group.empty(); group = group.parent_path()) bound_by(least, mount / group, files);
  bound_by(least, mount, files);
}

/// A line is "number:controllers:path"; version 2 has no controllers.
void bound_by_groups(AvailableMemory& least, const fs::path& root) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") bound_by_ancestry(least, root, path, kVersion2);
    if (controllers.find(",memory,") != std::string::npos) {
      bound_by_ancestry(least, root, path, kVersion1);
    }
  }
}

}  // namespace

AvailableMemory available_memory_in(const fs::path& root) {
  // What no object may exceed, should nothing else be known.
  AvailableMemory least{std::numeric_limits<std::ptrdiff_t>::max(), "the address space"};
  const Bytes free_kib = number_of(root / "proc/meminfo", "MemAvailable");
  if (free_kib != 0) least = {free_kib * kKiB, "MemAvailable of this machine"};
  bound_by_groups(least, root);
  return least;
}

AvailableMemory available_memory() { return available_memory_in("/"); }

}  // namespace conccl
