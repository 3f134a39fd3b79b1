// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/json.hpp"
#include "conccl/bench/report_print.hpp"

namespace conccl::bench {
namespace {

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const AgainstIdeal& against) {
  Json json = {{"t_comm_ms", against.t_comm_ms},
               {"speedup", against.speedup},
               {"ideal", against.ideal},
               {"percent", json_of(against.percent)},
               {"low", nullptr},
               {"high", nullptr}};
  if (against.interval) {
    json["low"] = against.interval->low;
    json["high"] = against.interval->high;
  }
  return json;
}

Json json_of(const std::vector<SweepPoint>& sweep) {
  Json points = Json::array();
  for (const auto& point : sweep) {
    points.push_back({{"budget", point.budget}, {"t_c3_ms", point.t_c3_ms}});
  }
  return points;
}

Json json_of(const Result& result) {
  return {{"scenario", result.scenario},
          {"gemm", to_string(result.gemm.shape)},
          {"gemm_type", name_of(result.gemm.type)},
          {"collective", plan::name_of(result.collective)},
          {"strategy", result.strategy},
          {"bytes", result.bytes},
          {"bytes_per_peer", result.bytes_per_peer},
          {"ranks", result.ranks},
          {"class", c3::name_of(result.balance)},
          {"budget", result.budget},
          {"gemm_share", result.gemm_share ? Json(*result.gemm_share) : Json(nullptr)},
          {"t_gemm_ms", as_json(result.t_gemm_ms)},
          {"t_comm_ms", as_json(result.t_comm_ms)},
          {"t_c3_ms", as_json(result.t_c3_ms)},
          {"own", json_of(result.own)},
          {"baseline", result.baseline ? json_of(*result.baseline) : Json(nullptr)},
          {"check", as_json(result.check)},
          {"sweep", json_of(result.sweep)},
          {"attribution",
           result.attribution ? Json::parse(to_json(*result.attribution)) : Json(nullptr)},
          {"evidence", result.evidence ? Json::parse(to_json(*result.evidence)) : Json(nullptr)},
          {"extrapolated", result.extrapolated},
          {"source", result.source}};
}

Json json_of(const LinearCost& cost) {
  return {{"fixed_ns", cost.fixed_ns}, {"ns_per_byte", cost.ns_per_byte}};
}

Json baselines_of(const Machine& machine) {
  Json baselines = Json::object();
  for (const auto& [name, facts] : machine.baseline) {
    baselines[name] = {{"cost", json_of(facts.cost)}, {"compute_units", facts.compute_units}};
  }
  return baselines;
}

Json json_of(const Machine& machine) {
  const DeviceFacts& device = machine.device;
  return {{"name", machine.name},
          {"backend", machine.backend},
          {"devices", machine.devices},
          {"device",
           {{"compute_units", device.compute_units},
            {"dma_engines", device.dma_engines},
            {"memory_gbps", device.memory_gbps},
            {"memory", device.memory},
            {"last_level_cache", device.last_level_cache},
            {"peak_tflops", device.peak_tflops},
            {"gemm_efficiency", device.gemm_efficiency}}},
          {"link",
           {{"topology", machine.link.topology},
            {"peer_gbps", machine.link.peer_gbps},
            {"device_gbps", machine.link.device_gbps}}},
          {"baseline", baselines_of(machine)},
          {"sources", machine.sources},
          {"notes", machine.notes}};
}

Json json_of(const std::vector<StrategySummary>& summaries) {
  Json rows = Json::array();
  for (const auto& summary : summaries) {
    rows.push_back({{"strategy", summary.strategy},
                    {"scenarios", summary.scenarios},
                    {"left_out", summary.left_out},
                    {"speedup", summary.speedup},
                    {"percent", json_of(summary.percent)},
                    {"baseline_percent", json_of(summary.baseline_percent)},
                    {"over_nccl_ce", json_of(summary.over_vendor_copies)}});
  }
  return rows;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json_of(const PeerFacts& peer) {
  return {{"name", peer.name},
          {"version", text_or_null(peer.version)},
          {"notes", peer.notes},
          {"reason", text_or_null(peer.reason)}};
}

Json json_of(const Skipped& skipped) {
  return {{"strategy", text_or_null(skipped.strategy)},
          {"scenario", text_or_null(skipped.scenario)},
          {"reason", skipped.reason}};
}

Json summary_of(const Report& report) {
  Json summary = {{"all", json_of(summarize_strategies(report))}};
  for (const auto collective : plan::all_collectives()) {
    summary[std::string(plan::name_of(collective))] =
        json_of(summarize_strategies(report, collective));
  }
  return summary;
}

}  // namespace

std::string to_json(const Report& report) {
  Json json = {{"schema", kReportSchema},
               {"partial", report.partial},
               {"emulation", report.emulation},
               {"machine", json_of(report.machine)},
               {"gemm_library", report.gemm_library},
               {"suite", report.suite},
               {"suite_hash", report.suite_hash},
               {"launch", name_of(report.launch)},
               {"ranks", report.ranks},
               {"warmup", report.warmup},
               {"rounds", report.rounds},
               {"rest", report.rest},
               {"seed", report.seed},
               {"peers", Json::array()},
               {"results", Json::array()},
               {"sustained", Json::array()},
               {"skipped", Json::array()},
               {"summary", summary_of(report)}};
  for (const auto& peer : report.peers) json["peers"].push_back(json_of(peer));
  for (const auto& result : report.results) json["results"].push_back(json_of(result));
  for (const auto& each : report.sustained) json["sustained"].push_back(Json::parse(to_json(each)));
  for (const auto& skipped : report.skipped) json["skipped"].push_back(json_of(skipped));
  return file_of(json);
}

}  // namespace conccl::bench
