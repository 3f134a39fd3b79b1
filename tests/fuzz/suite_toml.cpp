// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Suite files: reading, and that what was read says all that matters: written down anew, in
/// another order of keys and with other sources, it is the same suite with the same hash.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "conccl/c3/suite.hpp"
#include "tests/fuzz/support.hpp"

namespace conccl::c3 {
namespace {

constexpr std::string_view kName = "suite.toml";

std::string size_of(const Scenario& scenario) {
  if (scenario.bytes) return fmt::format("bytes = \"{}\"", *scenario.bytes);
  if (scenario.bytes_per_rank) {
    return fmt::format("bytes_per_rank = \"{}\"", *scenario.bytes_per_rank);
  }
  return fmt::format("ratio = {}", scenario.ratio.value());
}

std::string to_toml(const Suite& suite) {
  std::string text = fmt::format("type = \"{}\"\nschema = \"conccl.suite/1\"\nname = \"{}\"\n",
                                 name_of(suite.type), suite.name);
  for (std::size_t i = 0; i < suite.scenarios.size();) {
    const Scenario& scenario = suite.scenarios[i];
    text += "[[scenario]]\nsource = \"elsewhere\"\ncollectives = [";
    for (; i < suite.scenarios.size() && suite.scenarios[i].name == scenario.name; ++i) {
      text += fmt::format("\"{}\", ", plan::name_of(suite.scenarios[i].collective));
    }
    text += fmt::format("]\n{}\ngemm = \"{}\"\ntype = \"{}\"\nname = \"{}\"\n", size_of(scenario),
                        to_string(scenario.gemm.shape), name_of(scenario.gemm.type), scenario.name);
  }
  return text;
}

bool same_but_source(const Scenario& a, const Scenario& b) {
  return a.name == b.name && a.gemm == b.gemm && a.collective == b.collective &&
         a.bytes == b.bytes && a.bytes_per_rank == b.bytes_per_rank && a.ratio == b.ratio;
}

void check_scenario(const Scenario& scenario) {
  ensure(fuzz::is_one_line(scenario.name), "a scenario has a name");
  ensure(!scenario.source.empty(), "a scenario has a source");
  ensure(int{scenario.bytes.has_value()} + int{scenario.bytes_per_rank.has_value()} +
                 int{scenario.ratio.has_value()} ==
             1,
         "bytes, bytes per rank or a ratio");
  ensure(scenario.bytes.value_or(1) > 0, "bytes are over zero");
  ensure(scenario.bytes_per_rank.value_or(1) > 0, "bytes per rank are over zero");
  ensure(!scenario.ratio || (*scenario.ratio > 0 && std::isfinite(*scenario.ratio)),
         "a ratio is a number over zero");
}

void check_suite(const Suite& suite) {
  ensure(!suite.scenarios.empty(), "a suite has scenarios");
  for (const Scenario& scenario : suite.scenarios) check_scenario(scenario);
  const Suite again = parse_suite(to_toml(suite), kName);
  ensure_equal(again.name, suite.name, "name of the suite written anew");
  ensure(again.type == suite.type, "the suite written anew is of its type");
  ensure_equal(again.hash, suite.hash, "hash of the suite written anew");
  ensure(std::equal(again.scenarios.begin(), again.scenarios.end(), suite.scenarios.begin(),
                    suite.scenarios.end(), same_but_source),
         "scenarios of the suite written anew");
}

}  // namespace
}  // namespace conccl::c3

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conccl;
  const auto text = fuzz::text_of(data, size);
  const auto suite = fuzz::accepted(c3::kName, [&] { return c3::parse_suite(text, c3::kName); });
  if (!suite) return 0;
  ensure(text.find('\0') == text.npos, "a NUL is not TOML");
  c3::check_suite(*suite);
  return 0;
}
