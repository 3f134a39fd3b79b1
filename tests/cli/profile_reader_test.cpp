// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"
#include "tests/core/support.hpp"

namespace conccl::cli {
namespace {

using c3::Sample;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::json;

Machine small_machine() {
  Machine machine;
  machine.name = "small";
  machine.backend = "cuda";
  machine.devices = 2;
  machine.device.compute_units = 132;
  machine.link.peer_gbps = 1.0 / 3;
  for (const char* field : {"devices", "device.compute_units", "link.peer_gbps"}) {
    machine.sources[field] = "probed";
  }
  return machine;
}

Sample sample_of(Sample::Kind kind, std::string_view how, int budget) {
  Sample sample;
  sample.kind = kind;
  sample.how = how;
  sample.budget = budget;
  sample.ms = {0.1 + 0.2, 0.2, 12.5, 5};
  if (kind != Sample::Kind::collective) {
    sample.gemm = {{64, 128, 256}, GemmType::fp8};
    sample.gemm_share = 0.25;
  }
  if (kind == Sample::Kind::gemm) return sample;
  sample.collective = plan::Collective::all_to_all;
  sample.bytes = Bytes{1} << 40;
  return sample;
}

bench::Profile whole_profile() {
  bench::Profile profile;
  profile.machine = small_machine();
  profile.emulation = true;
  profile.date = "2026-11-30";
  profile.partial = false;
  profile.ranks = 2;
  profile.samples = {sample_of(Sample::Kind::gemm, "", 8),
                     sample_of(Sample::Kind::collective, c3::kOnKernels, 16),
                     sample_of(Sample::Kind::together, "conccl_rp", 4)};
  profile.clocks = {
      {{{8, 16, 32}, GemmType::fp16}, plan::Collective::all_gather, 4096, 1.9, 1.7, 1.98}};
  return profile;
}

TEST(ReadProfile, GivesWhatWasWritten) {
  const bench::Profile written = whole_profile();
  const bench::Profile read = parse_profile(bench::to_json(written), "p.json");
  EXPECT_EQ(bench::to_json(read), bench::to_json(written));
  ASSERT_EQ(read.samples.size(), 3u);
  EXPECT_EQ(read.samples[2].gemm, written.samples[2].gemm);
  EXPECT_EQ(read.samples[2].bytes, Bytes{1} << 40);
  EXPECT_EQ(read.samples[2].gemm_share, 0.25);
  EXPECT_EQ(read.samples[2].ms.median, 0.1 + 0.2);
  ASSERT_EQ(read.clocks.size(), 1u);
  EXPECT_EQ(read.clocks[0].together_ghz, 1.7);
  EXPECT_EQ(read.machine, written.machine);
}

TEST(ReadProfile, KnowsOneThatIsPartial) {
  bench::Profile partial = whole_profile();
  partial.partial = true;
  EXPECT_TRUE(parse_profile(bench::to_json(partial), "p.json").partial);
}

TEST(ReadProfile, NamesFileAndField) {
  const Json whole = Json::parse(bench::to_json(whole_profile()));
  const std::pair<std::function<void(Json&)>, const char*> changes[] = {
      {[](Json& p) { p = Json::array(); }, "p.json: not an object"},
      {[](Json& p) { p.erase("schema"); }, "p.json: no \"schema\""},
      {[](Json& p) { p["schema"] = "conccl.c3/4"; },
       "p.json: schema: \"conccl.c3/4\"; expected \"conccl.profile/2\""},
      {[](Json& p) { p["partial"] = 0; }, "p.json: partial: neither true nor false"},
      {[](Json& p) { p.erase("emulation"); }, "p.json: no \"emulation\""},
      {[](Json& p) { p["date"] = 2026; }, "p.json: date: not a text"},
      {[](Json& p) { p.erase("ranks"); }, "p.json: no \"ranks\""},
      {[](Json& p) { p["ranks"] = 1; }, "p.json: ranks: expected a whole number from 2"},
      {[](Json& p) { p["machine"] = "name = 3"; }, "p.json: machine: machine:1:8: "},
      {[](Json& p) { p["machine"] = Json::object(); }, "p.json: machine: not a text"},
      {[](Json& p) { p["samples"] = 3; }, "p.json: samples: not a list"},
      {[](Json& p) { p["samples"][1]["kind"] = "walk"; },
       "p.json: samples[1]: kind: \"walk\"; expected gemm, collective or together"},
      {[](Json& p) { p["samples"][0].erase("gemm"); }, "p.json: samples[0]: no \"gemm\""},
      {[](Json& p) { p["samples"][0]["gemm"] = "8x8"; }, "p.json: samples[0]: gemm: "},
      {[](Json& p) { p["samples"][2]["gemm_type"] = "int4"; }, "p.json: samples[2]: gemm_type: "},
      {[](Json& p) { p["samples"][1].erase("bytes"); }, "p.json: samples[1]: no \"bytes\""},
      {[](Json& p) { p["samples"][1]["bytes"] = 0; },
       "p.json: samples[1]: bytes: expected a whole"},
      {[](Json& p) { p["samples"][2]["collective"] = "reduce"; },
       "p.json: samples[2]: collective: "},
      {[](Json& p) { p["samples"][0]["budget"] = -1; },
       "p.json: samples[0]: budget: expected a wh"},
      {[](Json& p) { p["samples"][0].erase("gemm_share"); },
       "p.json: samples[0]: no \"gemm_share\""},
      {[](Json& p) { p["samples"][2]["gemm_share"] = 1.5; },
       "p.json: samples[2]: gemm_share: expected a number from 0 to 1"},
      {[](Json& p) { p["samples"][0]["how"] = nullptr; }, "p.json: samples[0]: how: not a text"},
      {[](Json& p) { p["samples"][2]["ms"]["median"] = -0.5; },
       "p.json: samples[2]: ms: median: expected a number over zero"},
      {[](Json& p) { p["samples"][2]["ms"]["min"] = 1e9; },
       "p.json: samples[2]: ms: expected min <= median <= max"},
      {[](Json& p) { p["samples"][2]["ms"]["min"] = "1"; },
       "p.json: samples[2]: ms: min: expected"},
      {[](Json& p) { p["samples"][2]["ms"].erase("max"); }, "p.json: samples[2]: ms: no \"max\""},
      {[](Json& p) { p["samples"][2]["ms"]["n"] = 0; }, "p.json: samples[2]: ms: n: expected a wh"},
      {[](Json& p) { p["clocks"][0].erase("alone_ghz"); }, "p.json: clocks[0]: no \"alone_ghz\""},
      {[](Json& p) { p["clocks"][0]["together_ghz"] = -1; },
       "p.json: clocks[0]: together_ghz: expected a number over zero"},
  };
  for (const auto& [change, start] : changes) {
    Json changed = whole;
    change(changed);
    EXPECT_THAT(input_error([&] { (void)parse_profile(changed.dump(1), "p.json"); }),
                StartsWith(start));
  }
}

TEST(ReadProfile, NamesLineAndColumnOfWhatIsNoJson) {
  EXPECT_THAT(input_error([] { (void)parse_profile("{\n  \"schema\": x\n}", "p.json"); }),
              StartsWith("p.json:2:13: not JSON; expected what conccl profile --samples wrote"));
  EXPECT_THAT(input_error([] { (void)parse_profile("", "p.json"); }), StartsWith("p.json:1:1: "));
  std::string cut = bench::to_json(whole_profile());
  cut.resize(cut.size() / 2);
  EXPECT_THAT(input_error([&] { (void)parse_profile(cut, "p.json"); }), HasSubstr("not JSON"));
}

TEST(ReadProfile, ReadsAFile) {
  const test::TemporaryDirectory directory;
  const auto path = directory.file_with("p.json", bench::to_json(whole_profile()));
  EXPECT_EQ(read_profile(path).samples.size(), 3u);
  const auto missing = directory.file("none.json");
  EXPECT_THAT(input_error([&] { (void)read_profile(missing); }),
              StartsWith(missing + ": cannot be read; expected what conccl profile"));
}

}  // namespace
}  // namespace conccl::cli
