// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"

namespace conccl::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two devices with round figures; not of any machine.
constexpr const char* kTwoDevices = R"(name = "two, \"round\""
backend = "cuda"
devices = { value = 2, source = "made up" }
[device]
compute_units = { value = 132, source = "made up" }
dma_engines = { value = 3, source = "made up" }
memory_bandwidth = { value = "4000 GB/s", source = "made up" }
gemm_efficiency = { value = 0.9, source = "made up" }
[device.peak]
bf16 = { value = "800 TFLOP/s", source = "made up" }
[link]
topology = "switch"
peer_bandwidth = { value = "400 GB/s", source = "made up" }
device_bandwidth = { value = "400 GB/s", source = "made up" }
[model]
unit_step = { value = 8, source = "made up" }
beside_dma = { value = 1.1, source = "made up" }
[model.slowdown]
compute_bound = { value = [[64, 2], [132, 1]], source = "made up" }
memory_bound = { value = [[64, 1], [132, 1]], source = "made up" }
all_gather = { value = [[4, 4], [32, 1]], source = "made up" }
all_to_all = { value = [[4, 4], [32, 1]], source = "made up" }
[baseline.all_gather]
latency = { value = "15 us", source = "made up" }
bandwidth = { value = "600 GB/s", source = "made up" }
compute_units = { value = 32, source = "made up" }
[baseline.all_to_all]
latency = { value = "15 us", source = "made up" }
bandwidth = { value = "600 GB/s", source = "made up" }
compute_units = { value = 32, source = "made up" }
)";

/// The model's study of one scenario, passed off as measured.
class ReproduceReport : public testing::Test {
 protected:
  ReproduceReport() {
    const auto outcome =
        conccl({"c3", "--machine", "mi300x", "--gemm", "8192x28672x8192", "--collective",
                "all_gather", "--bytes", "448M", "--json", directory_.file("report.json")});
    EXPECT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
    report_ = nlohmann::json::parse(directory_.read("report.json"));
    for (auto& result : report_["results"]) result["source"] = "measured";
  }
  [[nodiscard]] Outcome reproduce(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"reproduce", directory_.file_with("changed.json", report_.dump(1))});
    return conccl(std::move(more));
  }
  [[nodiscard]] nlohmann::json reproduced(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--json", directory_.file("compared.json")});
    const auto outcome = reproduce(std::move(more));
    EXPECT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
    return nlohmann::json::parse(directory_.read("compared.json"));
  }
  [[nodiscard]] nlohmann::json& result_of(const std::string& strategy) {
    for (auto& result : report_["results"]) {
      if (result["strategy"] == strategy) return result;
    }
    throw std::out_of_range(strategy);
  }

  TemporaryDirectory directory_;
  nlohmann::json report_;
};

TEST_F(ReproduceReport, TheModelAgreesWithItself) {
  for (const std::string isolated : {"model", "measured"}) {
    const auto json = reproduced({"--isolated", isolated});
    EXPECT_EQ(json["schema"], "conccl.compared/1");
    EXPECT_EQ(json["isolated"], isolated);
    ASSERT_EQ(json["rows"].size(), report_["results"].size());
    for (const auto& row : json["rows"]) {
      for (const char* const time : {"t_gemm", "t_comm", "t_c3"}) EXPECT_EQ(row["error"][time], 0);
    }
    EXPECT_EQ(json["overall"]["median_t_c3"], 0);
  }
  const auto outcome = reproduce();
  EXPECT_THAT(outcome.out, HasSubstr("predictions are the model's, measured times the report's"));
  EXPECT_THAT(outcome.out, HasSubstr("no T_c3 is off by more than 15 %"));
  EXPECT_THAT(outcome.out, HasSubstr("left out    nothing"));
}

TEST_F(ReproduceReport, NamesWhatIsFarOff) {
  auto& times = result_of("conccl")["t_c3_ms"];
  const double factor = 2 / times["median"].get<double>();
  times["median"] = 2;
  times["min"] = 1;
  times["max"] = 1000;
  const auto json = reproduced();
  EXPECT_EQ(json["overall"]["over_15_percent"], 1);
  EXPECT_EQ(json["overall"]["worst"]["strategy"], "conccl");
  EXPECT_NEAR(json["overall"]["worst"]["t_c3"].get<double>(), 1 / factor - 1, 1e-9);
  const auto outcome = reproduce();
  EXPECT_THAT(outcome.out, HasSubstr("T_c3 off by more than 15 %"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("conccl +0 +2\\.000"));
}

TEST_F(ReproduceReport, CountsWhatIsNotModelled) {
  result_of("serial")["strategy"] = "nccl_ce";
  result_of("c3_base")["strategy"] = "c3_base_own";
  const auto json = reproduced();
  EXPECT_EQ(json["not_modelled"], nlohmann::json({{"c3_base_own", 1}, {"nccl_ce", 1}}));
  EXPECT_EQ(json["rows"].size(), report_["results"].size() - 2);
  EXPECT_THAT(reproduce().out, HasSubstr("not modelled: c3_base_own 1, nccl_ce 1"));
}

TEST_F(ReproduceReport, AChangedMachinePredictsOtherTimes) {
  const auto json = reproduced({"--set", "model.beside_dma=2"});
  EXPECT_GT(json["overall"]["worst"]["t_c3"], 0.0);
  EXPECT_EQ(json["overall"]["median_t_gemm"], 0);
}

TEST_F(ReproduceReport, ASettingDoesNotTakeTheReport) {
  const auto report = directory_.file_with("changed.json", report_.dump());
  const auto outcome = conccl({"reproduce", "--set", "model.beside_dma=2", report});
  EXPECT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
}

TEST_F(ReproduceReport, SaysWhatTheTimesAre) {
  report_["emulation"] = true;
  report_["partial"] = true;
  const auto outcome = reproduce({"--isolated", "measured"});
  EXPECT_THAT(outcome.out, HasSubstr("times show function, not hardware"));
  EXPECT_THAT(outcome.out, HasSubstr("partial: the run did not finish"));
  EXPECT_THAT(outcome.out, HasSubstr("GEMM alone  the measured one"));
}

TEST_F(ReproduceReport, NamesOfStrangersStayOnTheirLine) {
  for (auto& result : report_["results"]) result["scenario"] = "a\n\x1b[31mb";
  report_["machine"]["name"] = "m\n";
  const auto outcome = reproduce();
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("a\\n\\x1b[31mb"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
}

TEST_F(ReproduceReport, OneOutputMayBeStandardOutput) {
  const auto json = reproduce({"--json", "-"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["schema"], "conccl.compared/1");
  const auto csv = reproduce({"--csv", "-", "--json", directory_.file("compared.json")});
  EXPECT_THAT(csv.out, testing::StartsWith("machine,isolated,report,scenario,"));
  expect_error(reproduce({"--csv", "-", "--json", "-"}), cli::ExitCode::usage, "at most one");
}

TEST_F(ReproduceReport, RefusesReportsThatDoNotFit) {
  const auto whole = report_;
  const std::pair<std::function<void()>, const char*> changes[] = {
      {[&] { result_of("conccl")["source"] = "model"; }, "its times are measured and model"},
      {[&] {
         for (auto& result : report_["results"]) result["source"] = "model";
       },
       "changed.json: its times are a model's; expected a measured report"},
      {[&] {
         for (auto& result : report_["results"]) result["ranks"] = 2;
       },
       "changed.json: scenario 8192x28672x8192, strategy serial: 2 ranks, but machine \"8x "
       "MI300X\""},
      {[&] { result_of("c3_rp")["budget"] = 3000; }, "strategy c3_rp: budget 3000 is not in"},
      {[&] { result_of("conccl")["budget"] = 8; }, "strategy conccl: budget 8 is not in 0 .. 0"},
      {[&] { result_of("conccl").erase("budget"); }, "no \"budget\""},
      {[&] { result_of("conccl")["t_gemm_ms"]["median"] = 0; }, "a time of 0 ms"},
      {[&] { result_of("conccl")["t_comm_ms"]["median"] = -1; }, "t_comm_ms: median: expected"},
      {[&] { report_.erase("emulation"); }, "no \"emulation\""},
      {[&] {
         int number = 0;
         for (auto& result : report_["results"]) {
           result["strategy"] = "other" + std::to_string(number++);
         }
       },
       "can be predicted; expected one of serial"},
  };
  for (const auto& [change, part] : changes) {
    report_ = whole;
    change();
    expect_error(reproduce(), cli::ExitCode::usage, part);
  }
}

TEST_F(ReproduceReport, RefusesBadOptions) {
  const auto report = directory_.file_with("changed.json", report_.dump());
  const std::pair<std::vector<std::string>, const char*> bad[] = {
      {{report, "--isolated", "guessed"}, "expected model or measured"},
      {{report, "--suite", "llama"}, "--suite: the report has scenarios of its own"},
      {{report, report}, "given more than once"},
      {{report, "--machine", kWithoutModel}, "is not known"},
      {{report, "--set", "device.wheels=4"}, "no field \"wheels\""},
      {{directory_.file("absent.json")}, "absent.json: cannot be read"},
      {{directory_.file_with("text.json", "oops")}, "text.json:1:1: not JSON"},
      {{"--csv", "rows.csv"}, "--csv: expected with a REPORT.json"},
      {{"--json", "rows.json"}, "--json: expected with a REPORT.json"},
      {{"--set", "devices=8"}, "--set: expected with a REPORT.json"},
      {{"--isolated", "measured"}, "--isolated: expected with a REPORT.json"},
  };
  for (const auto& [arguments, part] : bad) {
    std::vector<std::string> all = {"reproduce"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    expect_error(conccl(all), cli::ExitCode::usage, part);
  }
}

/// Thread blocks of NCCL's are among the budgets, 4 of them too, which no partition of 8 has.
TEST_F(ReproduceReport, ReadsTheCommittedStudyOfTwoDevices) {
  const auto machine = directory_.file_with("two.toml", kTwoDevices);
  const std::string folder = CONCCL_SOURCE_DIR "/docs/results/h200x2/";
  const auto outcome = conccl({"reproduce", folder + "suite.json", folder + "precise.json",
                               "--machine", machine, "--csv", directory_.file("rows.csv")});
  ASSERT_EQ(code_of(outcome), cli::ExitCode::ok) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("suite.json: 2x NVIDIA H200, 390 results\n"));
  EXPECT_THAT(outcome.out, HasSubstr("nccl_ce 60, serial_own 30\n"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("\nall +270 "));
  const auto csv = directory_.read("rows.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 271);
  EXPECT_THAT(csv, HasSubstr("\n\"two, \"\"round\"\"\",model,"));
}

}  // namespace
}  // namespace conccl::test
