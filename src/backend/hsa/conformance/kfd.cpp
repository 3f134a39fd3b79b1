// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/conformance/kfd.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace conccl::backend::hsa::conformance {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMask = "recommended_sdma_engine_id_mask";

/// Lines of a name and a number.
std::map<std::string, std::uint64_t> properties_of(const fs::path& link) {
  std::map<std::string, std::uint64_t> values;
  std::ifstream file(link / "properties");
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value) values[name] = value;
  // A file of its own, in case a driver shows it so.
  if (std::ifstream own(link / kMask); own >> value) values[kMask] = value;
  return values;
}

std::uint32_t mask_of(const fs::path& link, std::uint32_t to) {
  const auto values = properties_of(link);
  const auto target = values.find("node_to");
  const auto mask = values.find(kMask);
  if (target == values.end() || target->second != to || mask == values.end()) return 0;
  return static_cast<std::uint32_t>(mask->second);
}

}  // namespace

std::uint32_t recommended_engines(const std::string& sys, std::uint32_t from, std::uint32_t to) {
  const fs::path node = fmt::format("{}/class/kfd/kfd/topology/nodes/{}", sys, from);
  std::uint32_t engines = 0;
  for (const char* const folder : {"io_links", "p2p_links"}) {
    std::error_code error;
    for (const auto& link : fs::directory_iterator(node / folder, error)) {
      engines |= mask_of(link.path(), to);
    }
  }
  return engines;
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace conccl::backend::hsa::conformance
