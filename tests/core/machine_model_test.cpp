// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What a machine file says of kernels, copies and GEMMs side by side, and measured collectives.
//
// size: a table of bad files

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "conccl/core/machine.hpp"
#include "tests/core/support.hpp"

namespace conccl {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// What follows the head and the device begins at line 5.
Machine machine_with_model(const std::string& rest) {
  return parse_machine(
      "name = \"box\"\nbackend = \"cuda\"\ndevices = { value = 2, source = \"counted\" }\n"
      "device.compute_units = { value = 132, source = \"probed\" }\n" +
          rest,
      "box.toml");
}

std::string baseline_with(const std::string& times) {
  return "[baseline.all_gather]\nlatency = { value = \"2 us\", source = \"a\" }\n"
         "bandwidth = { value = \"40 GB/s\", source = \"b\" }\n" +
         times;
}

/// The list begins at line 8, column 19.
std::string times_file(const std::string& list) {
  return baseline_with("times = { value = " + list + ", source = \"c\" }\n");
}

const std::string kFigures = R"([model]
flag_latency = { value = "11.5 us", source = "a" }
dma_bandwidth = { value = "40 GB/s", source = "b" }
dma_local_bandwidth = { value = "2 TB/s", source = "c" }
kernel_step = { value = 8, source = "d" }
)";

TEST(ModelOfAMachine, HasTheFiguresOfLanesSideBySide) {
  const Machine machine = machine_with_model(kFigures);
  EXPECT_EQ(machine.model.flag_ns, 11'500);
  EXPECT_EQ(machine.model.dma_gbps, 40);
  EXPECT_EQ(machine.model.dma_local_gbps, 2000);
  EXPECT_EQ(machine.model.kernel_step, 8);
  EXPECT_EQ(machine.sources.at("model.flag_ns"), "a");
  EXPECT_EQ(machine.sources.at("model.dma_gbps"), "b");
  EXPECT_EQ(machine.sources.at("model.dma_local_gbps"), "c");
  EXPECT_EQ(machine.sources.at("model.kernel_step"), "d");
  EXPECT_EQ(parse_machine(to_toml(machine), "m"), machine);
}

const std::string kBeside = R"([model.beside.compute_bound.all_to_all]
gemm_by_kernels = { value = 1.1, source = "a" }
gemm_by_dma = { value = 1.2, source = "b" }
gemm_by_local = { value = 1.3, source = "c" }
kernels_by_gemm = { value = 1.4, source = "d" }
dma_by_gemm = { value = 1.5, source = "e" }
local_by_gemm = { value = 1.6, source = "f" }
dma_launch_by_gemm = { value = 1.7, source = "h" }
[model.beside.memory_bound.all_gather]
dma_by_gemm = { value = 1, source = "g" }
)";

TEST(ModelOfAMachine, SaysWhatEachKindOfGemmSlowsAndIsSlowedBy) {
  const Machine machine = machine_with_model(kBeside);
  const BesideCollectives compute{{"all_to_all", {1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7}}};
  const BesideCollectives memory{{"all_gather", {0, 0, 0, 0, 1, 0}}};
  ASSERT_EQ(machine.model.beside.size(), 2U);
  EXPECT_EQ(machine.model.beside.at("compute_bound"), compute);
  EXPECT_EQ(machine.model.beside.at("memory_bound"), memory);
  EXPECT_EQ(machine.sources.at("model.beside.compute_bound.all_to_all.gemm_by_kernels"), "a");
  EXPECT_EQ(machine.sources.at("model.beside.compute_bound.all_to_all.local_by_gemm"), "f");
  EXPECT_EQ(machine.sources.at("model.beside.memory_bound.all_gather.dma_by_gemm"), "g");
  EXPECT_THAT(to_toml(machine), EndsWith(kBeside.substr(kBeside.find("[model.beside.mem"))));
  EXPECT_EQ(parse_machine(to_toml(machine), "m"), machine);
}

TEST(ModelOfAMachine, HasSlowdownsBesideAPartition) {
  const Machine machine = machine_with_model(R"([model.slowdown]
compute_bound_beside = { value = [[100, 1.5], [132, 1]], source = "a" }
memory_bound_beside = { value = [[124, 0.9]], source = "b" }
[[model.gemm]]
shape = "8x4x2"
type = "bf16"
time = "1 us"
slowdown_beside = [[100, 1.7], [124, 1.1]]
source = "c"
)");
  const SlowdownTable compute{{100, 1.5}, {132, 1}};
  const SlowdownTable memory{{124, 0.9}};
  const SlowdownTable own{{100, 1.7}, {124, 1.1}};
  ASSERT_EQ(machine.model.slowdown.size(), 2U);
  EXPECT_EQ(machine.model.slowdown.at("compute_bound_beside"), compute);
  EXPECT_EQ(machine.model.slowdown.at("memory_bound_beside"), memory);
  EXPECT_EQ(machine.model.gemms.at(0).slowdown_beside, own);
  EXPECT_TRUE(machine.model.gemms.at(0).slowdown.empty());
  EXPECT_EQ(machine.sources.at("model.slowdown.memory_bound_beside"), "b");
  EXPECT_EQ(parse_machine(to_toml(machine), "m"), machine);
}

TEST(ModelOfAMachine, HasFactorsOfOneGemm) {
  const Machine machine = machine_with_model(R"([[model.gemm]]
shape = "8x4x2"
type = "bf16"
time = "1 us"
beside = { all_gather = { gemm_by_dma = 1.25, gemm_squeezed = 2 }, all_to_all = { gemm_by_dma = 3 } }
source = "c"
)");
  BesideCollectives expected;
  expected["all_gather"].gemm_by_dma = 1.25;
  expected["all_gather"].gemm_squeezed = 2;
  expected["all_to_all"].gemm_by_dma = 3;
  EXPECT_EQ(machine.model.gemms.at(0).beside, expected);
  EXPECT_TRUE(machine.model.beside.empty());
  EXPECT_EQ(parse_machine(to_toml(machine), "m"), machine);
}

TEST(ModelOfAMachine, HasALimitOnMeanPower) {
  const Machine machine = machine_with_model(R"([model.power]
throttled = { value = 1.14, source = "a" }
throttled_from = { value = 0.5, source = "b" }
throttled_to = { value = 0.85, source = "c" }
)");
  EXPECT_EQ(machine.model.power.throttled, 1.14);
  EXPECT_EQ(machine.model.power.throttled_from, 0.5);
  EXPECT_EQ(machine.model.power.throttled_to, 0.85);
  EXPECT_EQ(parse_machine(to_toml(machine), "m"), machine);
}

TEST(TimesOfABaseline, AreReadWithTheirSource) {
  const Machine machine =
      machine_with_model(times_file(R"([["64K", "12 us"], ["1M", "12 us"], ["3M", "0.1 ms"]])"));
  const std::vector<CollectiveTime> expected{
      {64 * kKiB, 12'000}, {kMiB, 12'000}, {3 * kMiB, 100'000}};
  EXPECT_EQ(machine.baseline.at("all_gather").times, expected);
  EXPECT_EQ(machine.sources.at("baseline.all_gather.times"), "c");
  EXPECT_EQ(machine.baseline.at("all_gather").cost.fixed_ns, 2000);
}

TEST(TimesOfABaseline, MayBeLeftOut) {
  const Machine machine = machine_with_model(baseline_with(""));
  EXPECT_TRUE(machine.baseline.at("all_gather").times.empty());
  EXPECT_FALSE(machine.sources.contains("baseline.all_gather.times"));
}

TEST(TimesOfABaseline, AreWrittenAsTheyAreRead) {
  const std::string text = times_file(R"([["64K", "12 us"], ["1M", "40 us"]])");
  const Machine machine = machine_with_model(text);
  EXPECT_THAT(to_toml(machine), EndsWith(text));
  EXPECT_EQ(parse_machine(to_toml(machine), "m"), machine);
}

TEST(ModelOfAMachine, IsNotWrittenWithoutItsSources) {
  const auto refusal = [](Machine machine, const std::string& field) {
    machine.sources.erase(field);
    return input_error([&] { (void)to_toml(machine); });
  };
  for (const char* const field : {"model.flag_ns", "model.dma_local_gbps", "model.kernel_step"}) {
    EXPECT_THAT(refusal(machine_with_model(kFigures), field),
                HasSubstr(std::string(field) + " has no source"));
  }
  const char* const factor = "model.beside.compute_bound.all_to_all.kernels_by_gemm";
  EXPECT_THAT(refusal(machine_with_model(kBeside), factor),
              HasSubstr(std::string(factor) + " has no source"));
  EXPECT_THAT(
      refusal(machine_with_model(times_file(R"([["1M", "40 us"]])")), "baseline.all_gather.times"),
      HasSubstr("baseline.all_gather.times has no source"));
}

struct BadModel {
  const char* name;
  std::string text;
  const char* where;
  const char* why;
};

void PrintTo(const BadModel& bad, std::ostream* out) { *out << bad.name; }

class ModelOfAMachineRejects : public testing::TestWithParam<BadModel> {};

TEST_P(ModelOfAMachineRejects, WithLineColumnAndWhatWasExpected) {
  const BadModel& bad = GetParam();
  EXPECT_THAT(input_error([&] { (void)machine_with_model(bad.text); }),
              AllOf(StartsWith(std::string("box.toml:") + bad.where + ": "), HasSubstr(bad.why),
                    HasSubstr("expected")));
}

const std::string kCompute = "[model.beside.compute_bound.all_gather]\n";
const std::string kGemmTable =
    "[[model.gemm]]\nshape = \"8x4x2\"\ntype = \"bf16\"\ntime = \"1 us\"\nsource = \"s\"\n";

INSTANTIATE_TEST_SUITE_P(
    Beside, ModelOfAMachineRejects,
    testing::Values(
        BadModel{"factor_below_one", kCompute + "gemm_by_dma = { value = 0.99, source = \"s\" }\n",
                 "6:25",
                 "compute_bound.all_gather.gemm_by_dma is 0.99; expected a number of at least 1"},
        BadModel{"factor_zero", kCompute + "local_by_gemm = { value = 0, source = \"s\" }\n",
                 "6:27",
                 "compute_bound.all_gather.local_by_gemm is 0; expected a number of at least 1"},
        BadModel{"factor_infinite", kCompute + "dma_by_gemm = { value = inf, source = \"s\" }\n",
                 "6:25", "compute_bound.all_gather.dma_by_gemm is inf"},
        BadModel{"factor_type", kCompute + "dma_by_gemm = { value = \"1.5\", source = \"s\" }\n",
                 "6:25", "compute_bound.all_gather.dma_by_gemm is not a number"},
        BadModel{"bare_factor", kCompute + "dma_by_gemm = 1.5\n", "6:15",
                 "compute_bound.all_gather.dma_by_gemm has no source"},
        BadModel{"factor_without_source", kCompute + "dma_by_gemm = { value = 1.5 }\n", "6:15",
                 "compute_bound.all_gather.dma_by_gemm has no \"source\""},
        BadModel{"unknown_factor", kCompute + "gemm_by_gemm = 1.5\n", "6:1",
                 "model.beside.compute_bound.all_gather has no field \"gemm_by_gemm\""},
        BadModel{"unknown_kind", "[model.beside.latency_bound]\n", "5:15",
                 "no field \"latency_bound\"; expected one of compute_bound, memory_bound"},
        BadModel{"factor_of_no_collective",
                 "[model.beside.compute_bound]\ngemm_by_dma = { value = 1.5, source = \"s\" }\n",
                 "6:1", "no field \"gemm_by_dma\"; expected one of all_gather, all_to_all"},
        BadModel{"unknown_collective", "[model.beside.memory_bound.broadcast]\n", "5:28",
                 "no field \"broadcast\"; expected one of all_gather, all_to_all"},
        BadModel{"kind_type", "[model.beside]\ncompute_bound = 1.5\n", "6:17",
                 "model.beside.compute_bound is not a table"},
        BadModel{"beside_type", "model.beside = 1.5\n", "5:16", "model.beside is not a table"}));

INSTANTIATE_TEST_SUITE_P(
    Figures, ModelOfAMachineRejects,
    testing::Values(
        BadModel{"no_units_in_a_piece", "model.kernel_step = { value = 0, source = \"s\" }\n",
                 "5:31", "model.kernel_step is 0; expected between 1"},
        BadModel{"part_of_a_unit", "model.kernel_step = { value = 7.5, source = \"s\" }\n", "5:31",
                 "model.kernel_step is not a whole number"},
        BadModel{"flag_at_once", "model.flag_latency = { value = \"0 us\", source = \"s\" }\n",
                 "5:32", "model.flag_latency is zero"},
        BadModel{"flag_unit", "model.flag_latency = { value = \"1 GB/s\", source = \"s\" }\n",
                 "5:32", "model.flag_latency: "},
        BadModel{"no_local_copies",
                 "model.dma_local_bandwidth = { value = \"0 GB/s\", source = \"s\" }\n", "5:39",
                 "model.dma_local_bandwidth is zero"},
        BadModel{"bare_local_bandwidth", "model.dma_local_bandwidth = \"2 TB/s\"\n", "5:29",
                 "model.dma_local_bandwidth has no source"},
        BadModel{"beside_of_a_collective",
                 "model.slowdown.all_gather_beside = { value = [[8, 1]], source = \"s\" }\n",
                 "5:16", "no field \"all_gather_beside\"; expected one of compute_bound"},
        BadModel{"beside_descends",
                 "model.slowdown.memory_bound_beside = { value = [[8, 1], [4, 2]], source = "
                 "\"s\" }\n",
                 "5:57", "memory_bound_beside has 4 units behind 8; expected ascending units"},
        BadModel{"gemm_beside_without_points", kGemmTable + "slowdown_beside = []\n", "10:19",
                 "8x4x2.bf16.slowdown_beside is not a list of points"},
        BadModel{
            "one_gemms_factor", kGemmTable + "beside = { all_gather = { gemm_by_dma = 0.5 } }\n",
            "10:41",
            "8x4x2.bf16.beside.all_gather.gemm_by_dma is 0.5; expected a number of at least 1"},
        BadModel{"one_gemms_factor_type",
                 kGemmTable + "beside = { all_gather = { gemm_by_dma = \"2\" } }\n", "10:41",
                 "beside.all_gather.gemm_by_dma is not a number"},
        BadModel{"one_gemms_unknown_factor",
                 kGemmTable + "beside = { all_gather = { gemm_by_gemm = 2 } }\n", "10:27",
                 "8x4x2.bf16.beside.all_gather has no field \"gemm_by_gemm\""},
        BadModel{"throttled_backwards",
                 "[model.power]\nthrottled = { value = 1.1, source = \"s\" }\nthrottled_from = { "
                 "value = 0.8, source = \"s\" }\nthrottled_to = { value = 0.5, source = \"s\" }\n",
                 "5:1", "throttled is 1.1, throttled_from 0.8 and throttled_to 0.5"},
        BadModel{"one_gemms_factor_without_end",
                 kGemmTable + "beside = { all_gather = { gemm_by_dma = inf } }\n", "10:41",
                 "beside.all_gather.gemm_by_dma is inf"},
        BadModel{
            "ends_of_no_throttling",
            "[model.power]\nthrottled_from = { value = 0.1, source = \"s\" }\nthrottled_to = { "
            "value = 0.5, source = \"s\" }\n",
            "5:1", "throttled is 0, throttled_from 0.1 and throttled_to 0.5"},
        BadModel{"throttled_without_its_ends",
                 "[model.power]\nthrottled = { value = 1.1, source = \"s\" }\n", "5:1",
                 "throttled is 1.1, throttled_from 0 and throttled_to 0"},
        BadModel{"gemm_beside_units", kGemmTable + "slowdown_beside = [[133, 1]]\n", "10:20",
                 "slowdown_beside has 133 units; expected at most the device's 132"}));

INSTANTIATE_TEST_SUITE_P(
    Times, ModelOfAMachineRejects,
    testing::Values(
        BadModel{"type", times_file("\"12 us\""), "8:19",
                 "baseline.all_gather.times is not a list of points; expected [[bytes, time]"},
        BadModel{"no_points", times_file("[]"), "8:19", "times is not a list of points"},
        BadModel{"not_a_pair", times_file("[\"12 us\"]"), "8:20",
                 "has a point that is not [bytes, time]"},
        BadModel{"half_a_pair", times_file(R"([["1M", "1 us"], ["2M"]])"), "8:36",
                 "has a point that is not [bytes, time]"},
        BadModel{"three", times_file(R"([["1M", "1 us", "2 us"]])"), "8:20",
                 "has a point that is not [bytes, time]"},
        BadModel{"same_bytes", times_file(R"([["1M", "1 us"], ["1M", "2 us"]])"), "8:36",
                 "points that do not ascend; expected more bytes than the one before"},
        BadModel{"fewer_bytes", times_file(R"([["2M", "1 us"], ["1M", "2 us"]])"), "8:36",
                 "points that do not ascend"},
        BadModel{"less_time", times_file(R"([["1M", "2 us"], ["2M", "1.9 us"]])"), "8:36",
                 "points that do not ascend"},
        BadModel{"negative_time", times_file(R"([["1M", "-1 us"]])"), "8:27",
                 "baseline.all_gather.times: \"-1 us\": it is negative"},
        BadModel{"no_time", times_file(R"([["1M", "0 us"]])"), "8:27", "times is zero"},
        BadModel{"time_unit", times_file(R"([["1M", "1 MB"]])"), "8:27", "\"MB\" is not known"},
        BadModel{"bytes_unit", times_file(R"([["1 us", "1 us"]])"), "8:21",
                 "baseline.all_gather.times: "},
        BadModel{"no_bytes", times_file(R"([["0", "1 us"]])"), "8:21", "times is zero"},
        BadModel{"bare", baseline_with("times = [[\"1M\", \"1 us\"]]\n"), "8:9",
                 "baseline.all_gather.times has no source"},
        BadModel{"no_source", baseline_with("times = { value = [[\"1M\", \"1 us\"]] }\n"), "8:9",
                 "baseline.all_gather.times has no \"source\""}));

}  // namespace
}  // namespace conccl
