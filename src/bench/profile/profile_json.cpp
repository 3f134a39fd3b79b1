// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/json.hpp"
#include "conccl/bench/profile.hpp"

namespace conccl::bench {
namespace {

using c3::Sample;

std::string_view name_of(Sample::Kind kind) {
  switch (kind) {
    case Sample::Kind::gemm:
      return "gemm";
    case Sample::Kind::collective:
      return "collective";
    case Sample::Kind::together:
      return "together";
  }
  return "";
}

void add_gemm(Json& json, const GemmSpec& gemm) {
  json["gemm"] = to_string(gemm.shape);
  json["gemm_type"] = conccl::name_of(gemm.type);
}

void add_collective(Json& json, plan::Collective collective, Bytes bytes) {
  json["collective"] = plan::name_of(collective);
  json["bytes"] = bytes;
}

Json json_of(const Sample& sample) {
  Json json = {{"kind", name_of(sample.kind)}};
  if (sample.kind != Sample::Kind::collective) add_gemm(json, sample.gemm);
  if (sample.kind != Sample::Kind::gemm) add_collective(json, sample.collective, sample.bytes);
  json["how"] = sample.how;
  json["budget"] = sample.budget;
  if (sample.kind != Sample::Kind::collective) json["gemm_share"] = sample.gemm_share;
  json["ms"] = as_json(sample.ms);
  return json;
}

Json json_of(const c3::ClockSample& clock) {
  Json json;
  add_gemm(json, clock.gemm);
  add_collective(json, clock.collective, clock.bytes);
  json["alone_ghz"] = clock.alone_ghz;
  json["together_ghz"] = clock.together_ghz;
  json["alone_zero_ghz"] = clock.alone_zero_ghz;
  return json;
}

template <typename Items>
Json list_of(const Items& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

Json peers_of(const Profile& profile) {
  Json list = Json::array();
  for (const auto& peer : profile.peers) {
    list.push_back({{"name", peer.name}, {"version", peer.version}, {"reason", peer.reason}});
  }
  return list;
}

Json skipped_of(const Profile& profile) {
  Json list = Json::array();
  for (const auto& skipped : profile.skipped) {
    list.push_back({{"strategy", skipped.strategy},
                    {"scenario", skipped.scenario},
                    {"reason", skipped.reason}});
  }
  return list;
}

}  // namespace

std::string to_json(const Profile& profile) {
  const Json json = {{"schema", kProfileSchema},
                     {"partial", profile.partial},
                     {"emulation", profile.emulation},
                     {"date", profile.date},
                     {"machine", to_toml(profile.machine)},
                     {"gemm_library", profile.gemm_library},
                     {"suite", profile.suite},
                     {"suite_hash", profile.suite_hash},
                     {"launch", name_of(profile.launch)},
                     {"ranks", profile.ranks},
                     {"rounds", profile.rounds},
                     {"seed", profile.seed},
                     {"peers", peers_of(profile)},
                     {"skipped", skipped_of(profile)},
                     {"check", as_json(profile.check)},
                     {"samples", list_of(profile.samples)},
                     {"clocks", list_of(profile.clocks)}};
  return file_of(json);
}

}  // namespace conccl::bench
