// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_totals.hpp"
#include "bench/json.hpp"
#include "conccl/bench/collective_bench.hpp"

namespace conccl::bench {
namespace {

std::string_view word_of(plan::Placement placement) {
  return placement == plan::Placement::in_place ? "in_place" : "out_of_place";
}

Json json_of(const BenchLine& line, const BenchResult& result, int ranks) {
  return {{"library", result.library},
          {"method", name_of(result.method)},
          {"placement", word_of(result.placement)},
          {"time_us", result.time_us().median},
          {"host_us", as_json(result.host_us)},
          {"device_us", result.device_us ? as_json(*result.device_us) : Json(nullptr)},
          {"algbw_gbps", algbw_gbps(line, result)},
          {"busbw_gbps", busbw_gbps(line, result, ranks)},
          {"wrong", result.wrong ? Json(*result.wrong) : Json(nullptr)}};
}

Json json_of(const BenchLine& line, int ranks) {
  Json results = Json::array();
  for (const auto& result : line.results) results.push_back(json_of(line, result, ranks));
  return {{"bytes", line.bytes}, {"count", line.count}, {"results", std::move(results)}};
}

Json json_of(const PeerFacts& peer) {
  Json json = {{"name", peer.name}, {"version", peer.version}, {"notes", peer.notes}};
  if (!peer.reason.empty()) json["reason"] = peer.reason;
  return json;
}

Json json_of(const Crossover& crossover) {
  return {{"library", crossover.library},
          {"method", name_of(crossover.method)},
          {"placement", word_of(crossover.placement)},
          {"from_bytes", crossover.from ? Json(*crossover.from) : Json(nullptr)}};
}

Json json_of(const EnqueueCost& cost) {
  return {{"library", cost.library},
          {"buffers", cost.buffers},
          {"cpu_us", as_json(cost.cpu_us)},
          {"wall_us", as_json(cost.wall_us)}};
}

template <typename Entries, typename... More>
Json list_of(const Entries& entries, const More&... more) {
  Json list = Json::array();
  for (const auto& entry : entries) list.push_back(json_of(entry, more...));
  return list;
}

Json settings(const CollectiveBenchOptions& options) {
  Json methods = Json::array();
  for (const auto method : options.methods) methods.push_back(name_of(method));
  return {{"collective", plan::name_of(options.collective)},
          {"methods", std::move(methods)},
          {"launch", name_of(options.launch)},
          {"ranks", options.ranks},
          {"type", name_of(options.type)},
          {"iterations", options.iterations},
          {"rounds", options.rounds},
          {"warmup", options.warmup},
          {"checks", options.checks},
          {"seed", options.seed}};
}

}  // namespace

std::string bench_json(const CollectiveBenchOptions& options, const BenchRun& run) {
  Json json = {{"schema", kBenchSchema},
               {"partial", run.partial},
               {"emulation", run.emulation},
               {"machine", run.machine}};
  json.update(settings(options));
  json["libraries"] = run.libraries;
  json["peers"] = list_of(run.peers);
  json["lines"] = list_of(run.lines, options.ranks);
  json["average_busbw_gbps"] = totals_of(run.lines, options.ranks).average_busbw();
  json["crossovers"] = list_of(crossovers_of(run));
  json["enqueue"] = list_of(run.enqueue);
  return file_of(json);
}

}  // namespace conccl::bench
