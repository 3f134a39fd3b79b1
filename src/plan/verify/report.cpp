// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace conccl::plan {

Report::Report(const Plan& plan, const LaneTable& lanes, std::size_t max_complaints)
    : plan_(plan), lanes_(lanes), max_complaints_(std::max<std::size_t>(1, max_complaints)) {}

void Report::add(Fault fault, Event event, const Range& range, const std::string& what) {
  if (full()) return;
  complaints_.push_back({fault, lanes_.rank(event.lane), lanes_.index(event.lane),
                         static_cast<int>(event.step), range.rank, range.buffer, range.begin,
                         range.end,
                         fmt::format("{}: {}: {}", name_of(fault), text_of(event), what)});
}

void Report::add(Fault fault, const Range& range, const std::string& what) {
  if (full()) return;
  complaints_.push_back({fault, range.rank, -1, -1, range.rank, range.buffer, range.begin,
                         range.end, fmt::format("{}: {}", name_of(fault), what)});
}

std::string Report::text_of(Event event) const {
  const int rank = lanes_.rank(event.lane);
  return fmt::format("rank {} lane {} step {} ({})", rank, lanes_.index(event.lane), event.step,
                     to_string(plan_, rank, lanes_.step(event)));
}

std::string text_of(const Range& range) {
  return fmt::format("rank {} {} [{}, {})", range.rank, name_of(range.buffer), range.begin,
                     range.end);
}

std::string text_of(const Ref& ref) {
  return fmt::format("rank {} {}+{}", ref.rank, name_of(ref.buffer), ref.offset);
}

}  // namespace conccl::plan
