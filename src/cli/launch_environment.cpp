// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/launch_environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>
#include <utility>

namespace conccl::cli {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

std::string_view name_in(std::string_view entry) { return entry.substr(0, entry.find('=')); }

/// A port that was given to the ranks of an outer run would win over the new one.
constexpr std::string_view kPortOfAnOuterRun = "CONCCL_PORT";

bool is_replaced(std::string_view name, const Variables& variables) {
  if (name == kPortOfAnOuterRun) return true;
  for (const auto& [known, value] : variables) {
    if (name == known) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> environment_of_rank(const comm::RunMeeting& meeting,
                                             const std::string& interface, int rank, int ranks) {
  Variables variables{
      {"RANK", fmt::format("{}", rank)},       {"WORLD_SIZE", fmt::format("{}", ranks)},
      {"LOCAL_RANK", fmt::format("{}", rank)}, {"LOCAL_WORLD_SIZE", fmt::format("{}", ranks)},
      {"MASTER_ADDR", meeting.address},        {"MASTER_PORT", meeting.port},
      {"CONCCL_SECRET", meeting.secret}};
  if (!interface.empty()) variables.emplace_back("CONCCL_SOCKET_IFNAME", interface);
  std::vector<std::string> all;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    if (!is_replaced(name_in(*entry), variables)) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : variables) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

}  // namespace conccl::cli
