// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conccl/bench/sustained.hpp"

namespace conccl::bench {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const SustainedTime& time) {
  return {{"name", time.name},
          {"mean_ms", time.mean_ms},
          {"rounds_ms", time.rounds_ms},
          {"runs", time.runs},
          {"seconds", time.seconds},
          {"check",
           {{"bytes", time.check.bytes},
            {"mismatches", time.check.mismatches},
            {"gemm_mismatches", time.check.gemm_mismatches}}}};
}

}  // namespace

std::string to_json(const Sustained& sustained) {
  Json times = Json::array();
  for (const auto& time : sustained.times) times.push_back(json_of(time));
  const Json json = {{"scenario", sustained.scenario}, {"times", times}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_text(const Sustained& sustained) {
  std::string text = fmt::format("{}\n", sustained.scenario);
  for (const auto& time : sustained.times) {
    const double ratio = time.rounds_ms > 0 ? time.mean_ms / time.rounds_ms : 0;
    text += fmt::format("  {:<13} {:>9.4f} ms sustained {:>9.4f} in rounds ({:.3f}), {} runs\n",
                        time.name, time.mean_ms, time.rounds_ms, ratio, time.runs);
  }
  return text;
}

}  // namespace conccl::bench
