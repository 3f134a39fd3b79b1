// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "conccl/plan/text.hpp"
#include "plan/json_names.hpp"

namespace conccl::plan {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string json_text(std::string_view text) {
  // Names come from callers: bytes that are not UTF-8 become U+FFFD rather than an exception.
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write_ref(Out out, std::string_view field, const Ref& ref) {
  fmt::format_to(out, R"("{}": {{"rank": {}, "buffer": "{}", "offset": {}}})", field, ref.rank,
                 json_names::kBuffers.name(ref.buffer), ref.offset);
}

struct StepWriter {
  Out out;

  void operator()(const Copy& copy) const {
    fmt::format_to(out, R"({{"step": "copy", )");
    write_ref(out, "src", copy.src);
    fmt::format_to(out, ", ");
    write_ref(out, "dst", copy.dst);
    fmt::format_to(out, R"(, "bytes": {}}})", copy.bytes);
  }
  void operator()(const Signal& signal) const {
    fmt::format_to(out, R"({{"step": "signal", "rank": {}, "flag": {}}})", signal.rank,
                   signal.flag);
  }
  void operator()(const Wait& wait) const {
    fmt::format_to(out, R"({{"step": "wait", "flag": {}}})", wait.flag);
  }
  void operator()(const Compute& compute) const {
    fmt::format_to(out, R"({{"step": "compute", "task": {}}})", compute.task);
  }
};

/// `[`, the items one a line behind `indent`, `]`; an empty list stays on its line.
template <typename Items, typename Write>
void write_list(Out out, const Items& items, std::string_view indent, Write write) {
  fmt::format_to(out, "[");
  std::string_view separator;
  for (const auto& item : items) {
    fmt::format_to(out, "{}\n{}", separator, indent);
    write(item);
    separator = ",";
  }
  fmt::format_to(out, "]");
}

void write_lane(Out out, const Lane& lane) {
  fmt::format_to(out, R"({{"label": {}, "engine": "{}", )", json_text(lane.label),
                 json_names::kEngines.name(lane.engine));
  fmt::format_to(out, R"("share": {{"kind": "{}", "units": {}}}, )",
                 json_names::kShares.name(lane.share.kind), lane.share.units);
  fmt::format_to(out, R"("priority": "{}", "launch_rank": {}, "steps": )",
                 json_names::kPriorities.name(lane.priority), lane.launch_rank);
  write_list(out, lane.steps, "      ",
             [out](const Step& step) { std::visit(StepWriter{out}, step); });
  fmt::format_to(out, "}}");
}

void write_rank(Out out, const RankPlan& rank) {
  fmt::format_to(out, R"({{"lanes": )");
  write_list(out, rank.lanes, "    ", [out](const Lane& lane) { write_lane(out, lane); });
  fmt::format_to(out, "}}");
}

void write_request(Out out, const Request& request) {
  fmt::format_to(out, R"({{"collective": "{}", "ranks": {}, "block": {}, "placement": "{}"}})",
                 name_of(request.collective), request.ranks, request.block,
                 json_names::kPlacements.name(request.placement));
}

}  // namespace

std::string to_json(const Plan& plan) {
  std::string json;
  const Out out = std::back_inserter(json);
  fmt::format_to(out, "{{\n\"schema\": \"{}\",\n\"request\": ", kPlanSchema);
  write_request(out, plan.request);
  fmt::format_to(out, ",\n\"algorithm\": {},\n", json_text(plan.algorithm));
  fmt::format_to(out, "\"scratch_bytes\": {},\n\"flags\": {},\n\"tasks\": ", plan.scratch_bytes,
                 plan.flags);
  write_list(out, plan.tasks, "  ",
             [out](const std::string& task) { fmt::format_to(out, "{}", json_text(task)); });
  fmt::format_to(out, ",\n\"ranks\": ");
  write_list(out, plan.ranks, "  ", [out](const RankPlan& rank) { write_rank(out, rank); });
  fmt::format_to(out, "\n}}\n");
  return json;
}

}  // namespace conccl::plan
