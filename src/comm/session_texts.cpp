// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// How a session words what went wrong.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "comm/session.hpp"

namespace conccl::comm {
namespace {

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

std::string rank_list(const std::vector<int>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

}  // namespace

bool Session::any_is_here(const std::vector<int>& ranks) const {
  if (parts_.members.empty()) return true;
  const auto pid = parts_.members[index(parts_.local_ranks.front())].pid;
  return std::any_of(ranks.begin(), ranks.end(),
                     [&](int rank) { return parts_.members[index(rank)].pid == pid; });
}

std::string Session::missing_text(const std::vector<int>& missing, std::uint64_t sequence,
                                  Operation operation) const {
  return fmt::format("{} did not make call {} ({}) within {} ms{}{}{}", rank_list(missing),
                     sequence, name_of(operation), options_.deadline.count(),
                     last_calls_text(missing), silence_text(),
                     any_is_here(missing) ? "; a thread that drives several ranks must group" : "");
}

/// What the ranks did instead: calls and what is said on the host are numbered apart.
std::string Session::last_calls_text(const std::vector<int>& of) const {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (const int rank : std::span(of).first(std::min(of.size(), kShown))) {
    std::vector<std::string> made;
    if (const auto last = calls_.last_of(rank); last > 0) {
      made.push_back(fmt::format("call {} ({})", last, name_of(calls_.at(rank, last).operation)));
    }
    if (const auto last = host_.last_of(rank); last > 0) {
      made.push_back(fmt::format("call {} ({})", last, name_of(host_.at(rank, last).operation)));
    }
    text += made.empty() ? fmt::format("; rank {} has made no call", rank)
                         : fmt::format("; rank {} last made {}", rank, fmt::join(made, " and "));
  }
  return text;
}

std::string Session::silence_text() const {
  std::string text;
  for (const auto& [rank, since] : heartbeats_.silent(options_.deadline / 2)) {
    text += fmt::format("; {} has given no sign of life for {} ms: is it stopped?",
                        process_text(rank), since.count());
  }
  return text;
}

std::string Session::process_text(int rank) const {
  return fmt::format("rank {} (process {})", rank, parts_.members[index(rank)].pid);
}

std::string Session::unfinished_text(std::uint64_t sequence) const {
  std::vector<int> behind;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (parts_.completions[index(rank)]->value(0) < sequence) behind.push_back(rank);
  }
  return fmt::format("call {} did not finish on {} within {} ms{}", sequence, rank_list(behind),
                     options_.deadline.count(), silence_text());
}

}  // namespace conccl::comm
