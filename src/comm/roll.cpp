// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/roll.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace conccl::comm {
namespace {

std::string differing(std::string_view what, const std::string& here, const Introduction& first,
                      const std::string& there, const Introduction& second) {
  return fmt::format("{} differ: \"{}\" at {}, \"{}\" at {}", what, here, rank_text(first), there,
                     rank_text(second));
}

/// Long lists end in how many more there are.
std::string list_text(const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t kShown = 16;
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  if (ranks.size() > kShown) {
    return fmt::format("ranks {} and {} more",
                       fmt::join(ranks.begin(), ranks.begin() + kShown, ", "),
                       ranks.size() - kShown);
  }
  return fmt::format("ranks {} and {}", fmt::join(ranks.begin(), ranks.end() - 1, ", "),
                     ranks.back());
}

}  // namespace

std::string rank_text(const Introduction& member) {
  return fmt::format("rank {} (process {})", member.rank, member.pid);
}

std::optional<std::string> Roll::conflict(const Introduction& newcomer) const {
  if (newcomer.ranks < 1 || newcomer.ranks > kMaxMembers || newcomer.rank >= newcomer.ranks) {
    return fmt::format("{} of {}: not a rank from 0 on, of at most {}", rank_text(newcomer),
                       newcomer.ranks, kMaxMembers);
  }
  if (present_.empty()) return std::nullopt;
  const Introduction& first = present_.begin()->second;
  if (first.ranks != newcomer.ranks) {
    return differing("numbers of ranks", std::to_string(first.ranks), first,
                     std::to_string(newcomer.ranks), newcomer);
  }
  if (const auto taken = present_.find(newcomer.rank); taken != present_.end()) {
    return fmt::format("two ranks have the number {}: processes {} and {}", newcomer.rank,
                       taken->second.pid, newcomer.pid);
  }
  if (first.host != newcomer.host) {
    return differing("machines (boot ids)", first.host, first, newcomer.host, newcomer) +
           "; ConCCL works within one machine";
  }
  if (first.options != newcomer.options) {
    return differing("options", first.options, first, newcomer.options, newcomer);
  }
  return std::nullopt;
}

std::optional<std::string> Roll::enter(const Introduction& newcomer) {
  auto reason = conflict(newcomer);
  if (!reason) present_.emplace(newcomer.rank, newcomer);
  return reason;
}

std::size_t Roll::ranks() const { return present_.empty() ? 0 : present_.begin()->second.ranks; }

bool Roll::complete() const { return !present_.empty() && present_.size() == ranks(); }

std::vector<Introduction> Roll::members() const {
  std::vector<Introduction> members;
  for (const auto& [rank, member] : present_) members.push_back(member);
  return members;
}

std::string Roll::missing_text(std::chrono::milliseconds waited) const {
  std::vector<std::uint32_t> missing;
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    if (!present_.contains(rank)) missing.push_back(rank);
  }
  return fmt::format("{} of {} did not come within {} ms", list_text(missing), ranks(),
                     waited.count());
}

}  // namespace conccl::comm
