// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "bench/json.hpp"
#include "conccl/bench/sustained.hpp"

namespace conccl::bench {
namespace {

Json json_of(const SustainedTime& time) {
  return {{"name", time.name}, {"mean_ms", time.mean_ms}, {"rounds_ms", time.rounds_ms},
          {"runs", time.runs}, {"seconds", time.seconds}, {"check", as_json(time.check)}};
}

}  // namespace

std::string to_json(const Sustained& sustained) {
  Json times = Json::array();
  for (const auto& time : sustained.times) times.push_back(json_of(time));
  const Json json = {{"scenario", sustained.scenario}, {"times", times}};
  return line_of(json);
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
