// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/soak/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace conccl::soak {
namespace {

std::int64_t growth_of(const Findings& findings, std::size_t resource) {
  return static_cast<std::int64_t>(findings.late[resource]) -
         static_cast<std::int64_t>(findings.early[resource]);
}

/// Of the rank on which a resource grew most.
const Findings& grown_most(const Report& report, std::size_t resource) {
  return *std::max_element(report.by_rank.begin(), report.by_rank.end(),
                           [&](const Findings& a, const Findings& b) {
                             return growth_of(a, resource) < growth_of(b, resource);
                           });
}

double seconds_of(std::chrono::nanoseconds time) { return Seconds(time).count(); }

std::chrono::nanoseconds worst_call(const Report& report) {
  std::chrono::nanoseconds worst{};
  for (const auto& findings : report.by_rank) worst = std::max(worst, findings.worst_call);
  return worst;
}

const char* name_of(Launch launch) { return launch == Launch::processes ? "processes" : "threads"; }

/// Names and values, for the table and for JSON alike.
std::vector<std::pair<const char*, std::uint64_t>> counts_of(const Tally& tally) {
  return {{"all_gather", tally.all_gather},
          {"all_to_all", tally.all_to_all},
          {"in_place", tally.in_place},
          {"windowed", tally.windowed},
          {"pull", tally.pull},
          {"on_compute", tally.on_compute},
          {"empty", tally.empty},
          {"grouped", tally.grouped},
          {"exchanges", tally.exchanges},
          {"communicators", tally.communicators},
          {"windows", tally.windows},
          {"buffers", tally.buffers}};
}

}  // namespace

std::uint64_t Report::checked_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& findings : by_rank) sum += findings.checked_bytes;
  return sum;
}

std::uint64_t Report::wrong_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& findings : by_rank) sum += findings.wrong_bytes;
  return sum;
}

std::vector<std::string> Report::growth() const {
  std::vector<std::string> grown;
  for (std::size_t i = 0; i < kResources; ++i) {
    const auto& resource = resources()[i];
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      const auto growth = growth_of(by_rank[rank], i);
      if (growth <= static_cast<std::int64_t>(resource.limit)) continue;
      grown.push_back(fmt::format("{} of rank {} grew by {}, the limit is {}", resource.name, rank,
                                  growth, resource.limit));
    }
  }
  return grown;
}

std::string table_of(const Report& report) {
  std::string text =
      fmt::format("{} ranks as {}, {:.1f} s, seed {}, epochs {} to {}\n", report.ranks,
                  name_of(report.options.launch), seconds_of(report.by_rank.front().elapsed),
                  report.options.seed, report.options.first_epoch,
                  report.options.first_epoch + report.epochs - 1);
  for (const auto& [name, value] : counts_of(report.tally)) {
    text += fmt::format("  {:<14} {:>12}\n", name, value);
  }
  text += fmt::format("  {:<14} {:>12}\n  {:<14} {:>12}\n  {:<14} {:>9.1f} ms\n", "bytes checked",
                      report.checked_bytes(), "bytes wrong", report.wrong_bytes(), "longest call",
                      to_ms(worst_call(report)));
  text += fmt::format("  {:<14} {:>12} {:>12} {:>8} {:>8}  (rank with the most growth)\n", "",
                      "at 10 %", "at the end", "growth", "limit");
  for (std::size_t i = 0; i < kResources; ++i) {
    const auto& most = grown_most(report, i);
    text += fmt::format("  {:<14} {:>12} {:>12} {:>8} {:>8}\n", resources()[i].name, most.early[i],
                        most.late[i], growth_of(most, i), resources()[i].limit);
  }
  return text;
}

std::string json_of(const Report& report) {
  nlohmann::ordered_json json;
  json["schema"] = "conccl.soak/1";
  json["passed"] = report.passed();
  json["launch"] = name_of(report.options.launch);
  json["ranks"] = report.ranks;
  json["seed"] = report.options.seed;
  json["first_epoch"] = report.options.first_epoch;
  json["epochs"] = report.epochs;
  json["max_bytes"] = report.options.max_bytes;
  json["seconds"] = seconds_of(report.by_rank.front().elapsed);
  for (const auto& [name, value] : counts_of(report.tally)) json[name] = value;
  json["checked_bytes"] = report.checked_bytes();
  json["wrong_bytes"] = report.wrong_bytes();
  json["worst_call_ms"] = to_ms(worst_call(report));
  for (std::size_t i = 0; i < kResources; ++i) {
    auto& resource = json["resources"][std::string(resources()[i].name)];
    resource["limit"] = resources()[i].limit;
    for (const auto& findings : report.by_rank) {
      resource["early"].push_back(findings.early[i]);
      resource["late"].push_back(findings.late[i]);
    }
  }
  return json.dump() + "\n";
}

}  // namespace conccl::soak
