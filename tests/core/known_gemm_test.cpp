// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// GEMMs whose times a machine file holds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "conccl/core/machine.hpp"
#include "tests/core/support.hpp"

namespace conccl {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

/// What follows the head and the device begins at line 5.
Machine machine_with_gemms(const std::string& gemms) {
  return parse_machine(
      "name = \"box\"\nbackend = \"cuda\"\ndevices = { value = 2, source = \"counted\" }\n"
      "device.compute_units = { value = 132, source = \"probed\" }\n" +
          gemms,
      "box.toml");
}

TEST(KnownGemms, AreReadInTheirOrder) {
  const Machine machine = machine_with_gemms(R"([[model.gemm]]
shape = "8192x10240x8192"
type = "bf16"
time = "1.466 ms"
slowdown = [[64, 1.9], [128, 1.04], [132, 1]]
source = "measured"
[[model.gemm]]
shape = "8192x10240x8192"
type = "fp8"
time = "800 us"
source = "measured later"
)");
  const GemmShape shape{8192, 10240, 8192};
  const SlowdownTable slowdown{{64, 1.9}, {128, 1.04}, {132, 1}};
  const std::vector<KnownGemm> expected{{{shape, GemmType::bf16}, 1'466'000, slowdown},
                                        {{shape, GemmType::fp8}, 800'000, {}}};
  EXPECT_EQ(machine.model.gemms, expected);
  EXPECT_EQ(machine.sources.at("model.gemm.8192x10240x8192.bf16"), "measured");
  EXPECT_EQ(machine.sources.at("model.gemm.8192x10240x8192.fp8"), "measured later");
}

TEST(KnownGemms, AreFoundByShapeAndType) {
  ModelFacts model;
  const GemmSpec bf16{{8, 4, 2}};
  EXPECT_EQ(known_gemm(model, bf16), nullptr);
  model.gemms = {{{{8, 4, 2}, GemmType::fp8}, 1, {}}, {bf16, 2, {}}};
  EXPECT_EQ(known_gemm(model, bf16), &model.gemms[1]);
  EXPECT_EQ(known_gemm(model, {{8, 2, 4}}), nullptr);
  EXPECT_EQ(known_gemm(model, {{8, 4, 2}, GemmType::fp16}), nullptr);
}

TEST(KnownGemms, StandBesideAnEstimateForOthers) {
  const Machine machine =
      machine_with_gemms(R"(device.gemm_efficiency = { value = 0.9, source = "a" }
[model]
gemm_launch = { value = "2 us", source = "b" }
gemm_serial = { value = 0.25, source = "c" }
memory_efficiency = { value = 0.8, source = "d" }
)");
  EXPECT_EQ(machine.model.gemm_launch_ns, 2000);
  EXPECT_EQ(machine.model.gemm_serial, 0.25);
  EXPECT_EQ(machine.sources.at("model.gemm_launch_ns"), "b");
  EXPECT_EQ(machine.sources.at("model.gemm_serial"), "c");
  EXPECT_EQ(machine.model.memory_efficiency, 0.8)
      << "below gemm_efficiency, which is then of the arithmetic alone";
}

struct BadGemm {
  const char* name;
  std::string text;
  const char* where;
  const char* why;
};

void PrintTo(const BadGemm& bad, std::ostream* out) { *out << bad.name; }

class KnownGemmsReject : public testing::TestWithParam<BadGemm> {};

TEST_P(KnownGemmsReject, WithLineColumnAndWhatWasExpected) {
  const BadGemm& bad = GetParam();
  EXPECT_THAT(input_error([&] { (void)machine_with_gemms(bad.text); }),
              AllOf(StartsWith(std::string("box.toml:") + bad.where + ": "), HasSubstr(bad.why),
                    ContainsRegex("expected|is not MxNxK with each of")));
}

const std::string kGemm = "[[model.gemm]]\nshape = \"8x4x2\"\ntype = \"bf16\"\n";
const std::string kTimed = kGemm + "time = \"1 us\"\nsource = \"s\"\n";

INSTANTIATE_TEST_SUITE_P(
    All, KnownGemmsReject,
    testing::Values(
        BadGemm{"not_a_list", "[model.gemm]\nshape = \"8x4x2\"\n", "5:1",
                "model.gemm is not a list"},
        BadGemm{"not_tables", "model.gemm = [1]\n", "5:15", "model.gemm is not a table"},
        BadGemm{"unknown_key", kTimed + "times = 3\n", "10:1", "no field \"times\""},
        BadGemm{"no_shape", "[[model.gemm]]\ntype = \"bf16\"\n", "5:1",
                "model.gemm has no \"shape\""},
        BadGemm{"shape", "[[model.gemm]]\nshape = \"8x4\"\n", "6:9", "model.gemm.shape: "},
        BadGemm{"shape_type", "[[model.gemm]]\nshape = 8\n", "6:9",
                "model.gemm.shape is not a string"},
        BadGemm{"no_type", "[[model.gemm]]\nshape = \"8x4x2\"\n", "5:1",
                "model.gemm has no \"type\""},
        BadGemm{"type", "[[model.gemm]]\nshape = \"8x4x2\"\ntype = \"bf17\"\n", "7:8",
                "'bf17' is not known"},
        BadGemm{"no_time", kGemm + "source = \"s\"\n", "5:1", "8x4x2.bf16 has no \"time\""},
        BadGemm{"zero_time", kGemm + "time = \"0 ms\"\n", "8:8", "8x4x2.bf16.time is zero"},
        BadGemm{"negative_time", kGemm + "time = \"-1 ms\"\n", "8:8", "it is negative"},
        BadGemm{"time_without_unit", kGemm + "time = 3\n", "8:8", "time has no unit"},
        BadGemm{"no_source", kGemm + "time = \"1 us\"\n", "5:1", "8x4x2.bf16 has no \"source\""},
        BadGemm{"empty_source", kGemm + "time = \"1 us\"\nsource = \"\"\n", "9:10",
                "source is empty"},
        BadGemm{"twice", kTimed + kTimed, "10:1", "model.gemm.8x4x2.bf16 is there already"},
        BadGemm{"no_points", kTimed + "slowdown = []\n", "10:12",
                "slowdown is not a list of points"},
        BadGemm{"descending", kTimed + "slowdown = [[64, 2], [32, 3]]\n", "10:22",
                "has 32 units behind 64; expected ascending units"},
        BadGemm{"units", kTimed + "slowdown = [[133, 1]]\n", "10:13",
                "has 133 units; expected at most the device's 132"},
        BadGemm{"factor", kTimed + "slowdown = [[64, 0]]\n", "10:13", "has the factor 0"},
        BadGemm{"serial_over_one", "model.gemm_serial = { value = 1.5, source = \"s\" }\n", "5:31",
                "model.gemm_serial is 1.5; expected over 0, at most 1"},
        BadGemm{"launch_of_no_time", "model.gemm_launch = { value = \"0 us\", source = \"s\" }\n",
                "5:31", "model.gemm_launch is zero"}));

}  // namespace
}  // namespace conccl
