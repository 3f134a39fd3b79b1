// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/support.hpp"

namespace conccl::test {
namespace {

using testing::HasSubstr;

struct BadInput {
  const char* name;
  std::vector<std::string> arguments;
  std::string part;
};

void PrintTo(const BadInput& input, std::ostream* out) { *out << input.name; }

class BadInputTest : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsOneLineAndExitsWith2) {
  expect_error(conccl(GetParam().arguments), cli::ExitCode::usage, GetParam().part);
}

const BadInput kBadInputs[] = {
    {"UnknownSuite", {"c3", "no_such_suite"}, "llama"},
    {"UnknownMachine", {"c3", "--machine", "no_such_machine"}, "mi300x"},
    {"MachineWithoutAModel", {"c3", "--machine", kWithoutModel}, "model is not known"},
    {"MachineAndARun", {"c3", "--machine", "mi300x", "--rounds", "3"}, "nothing is run"},
    {"MachineAndRests", {"c3", "--machine", "mi300x", "--rest", "1"}, "nothing is run"},
    {"RestTooLong", {"c3", "--rest", "101"}, "--rest"},
    {"RestOfNoNumber", {"c3", "--rest", "nan"}, "rest: nan"},
    {"SustainedForNoNumber", {"c3", "--sustained", "nan"}, "--sustained"},
    {"StrategyTwice", {"c3", "--strategies", "conccl,conccl"}, "twice"},
    {"FilesOfOneName", {"c3", "--json", "/tmp/x", "--csv", "/tmp/x"}, "--csv: /tmp/x"},
    {"EmptyMachine", {"c3", "--machine", ""}, "--machine: it is empty"},
    {"EmptyFile", {"c3", "--machine", "mi300x", "--json", ""}, "--json: it is empty"},
    {"OneDevice", {"c3", "--machine", "mi300x", "--set", "devices=1"}, "at least 2"},
    {"OwnKernelsPredicted",
     {"c3", "--machine", "mi300x", "--strategies", "c3_base_own"},
     "is not predicted"},
    {"MachineAndAVendor",
     {"c3", "--machine", "mi300x", "--strategies", "nccl_ce"},
     "nccl_ce is not predicted"},
    {"SettingWithoutMachine", {"c3", "--set", "device.dma_engines=28"}, "--set: expected with"},
    {"SettingWithoutValue",
     {"c3", "--machine", "mi300x", "--set", "device.dma_engines"},
     "expected FIELD=VALUE"},
    {"SettingOfNothing",
     {"c3", "--machine", "mi300x", "--set", "device.wheels=4"},
     "no field \"wheels\""},
    {"SettingOutOfRange",
     {"c3", "--machine", "mi300x", "--set", "device.dma_engines=-1"},
     "device.dma_engines"},
    {"ReproduceWithoutAModel", {"reproduce", "--machine", kWithoutModel}, "model is not known"},
    {"UnknownStrategy", {"c3", "--strategies", "serial,magic"}, "magic"},
    {"EmptyStrategy", {"c3", "--strategies", "serial,,conccl"}, "--strategies"},
    {"UnknownCollectivePlan", {"plan", "broadcast"}, "all_gather, all_to_all"},
    {"UnknownCollectiveBench", {"bench", "broadcast"}, "all_gather, all_to_all"},
    {"UnknownBackend", {"c3", "--backend", "abacus"}, "abacus"},
    {"UnknownForm", {"plan", "all_gather", "--form", "magic"}, "dma, compute"},
    {"UnknownDirection", {"plan", "all_gather", "--direction", "up"}, "push, pull"},
    {"UnknownType", {"bench", "all_gather", "-d", "quaternion"}, "quaternion"},
    {"PartOfAScenario", {"c3", "--gemm", "64x64x64"}, "--gemm, --collective and --bytes"},
    {"SuiteAndScenario",
     {"c3", "llama", "--gemm", "64x64x64", "--collective", "all_gather", "--bytes", "1K"},
     "found both"},
    {"BadShape",
     {"c3", "--gemm", "64x0x64", "--collective", "all_gather", "--bytes", "1K"},
     "64x0x64"},
    {"UnknownGemmType",
     {"c3", "--gemm", "64x64x64", "--gemm-type", "int4", "--collective", "all_gather", "--bytes",
      "1K"},
     "bf16, fp16, fp8, fp32"},
    {"GemmTypeOfASuite", {"c3", "--gemm-type", "fp16"}, "--gemm-type"},
    {"GemmTypeBesideASuite", {"c3", "llama", "--gemm-type", "fp16"}, "a suite names its types"},
    {"NegativeSize", {"bench", "all_gather", "-b", "-5"}, "negative"},
    {"OverflowingSize",
     {"plan", "all_gather", "--bytes", "99999999999999999999"},
     "--bytes: \"99999999999999999999\""},
    {"UnknownUnit", {"plan", "all_gather", "--bytes", "5Q"}, "suffix \"Q\""},
    {"EmptySize", {"plan", "all_gather", "--bytes", ""}, "--bytes"},
    {"ZeroBytes",
     {"c3", "--gemm", "64x64x64", "--collective", "all_gather", "--bytes", "0"},
     "bytes"},
    {"SmallestOverLargest", {"bench", "all_gather", "-b", "2M", "-e", "1M"}, "2M"},
    {"FactorFromZero", {"bench", "all_gather", "-b", "0"}, "0 bytes"},
    {"FactorOne", {"bench", "all_gather", "-f", "1"}, "--stepfactor"},
    {"ZeroRanksPlan", {"plan", "all_gather", "--ranks", "0"}, "--ranks: \"0\""},
    {"ZeroRanksC3", {"c3", "--ranks", "0"}, "--ranks: \"0\""},
    {"NegativeRanks", {"c3", "--ranks", "-3"}, "--ranks: \"-3\""},
    {"OverflowingRanks", {"plan", "all_gather", "--ranks", "99999999999"}, "--ranks"},
    {"HugeRanks", {"bench", "all_gather", "-g", "99999999999999999999999"}, "--ranks"},
    {"MoreRanksThanTheBackend", {"bench", "all_gather", "-g", "60000"}, "60000"},
    {"ZeroRounds", {"c3", "--rounds", "0"}, "--rounds: \"0\""},
    {"FractionalRounds", {"c3", "--rounds", "2.5"}, "--rounds: \"2.5\""},
    {"NegativeSeed", {"c3", "--seed", "-1"}, "--seed"},
    {"InPlaceAllToAll", {"plan", "all_to_all", "--in-place"}, "in-place all_to_all"},
    {"UnknownLaunchC3", {"c3", "--launch", "magic"}, "threads, processes"},
    {"UnknownLaunchBench", {"bench", "all_gather", "--launch", "magic"}, "threads, processes"},
    {"MoreProcessesThanTheBackend",
     {"bench", "all_gather", "-g", "60000", "--launch", "processes"},
     "60000"},
    {"RunWithoutRanks", {"run", "true"}, "--ranks is required"},
    {"RunZeroRanks", {"run", "-n", "0", "true"}, "--ranks: \"0\""},
    {"RunNegativeRanks", {"run", "-n", "-3", "true"}, "--ranks: \"-3\""},
    {"RunTooManyRanks", {"run", "-n", "300", "true"}, "--ranks: \"300\""},
    {"RunTooManyRanksAndHowManyMayBe", {"run", "-n", "300", "true"}, "from 1 to 256"},
    {"RunWithoutProgram", {"run", "-n", "2"}, "no program"},
    {"RunMissingProgram", {"run", "-n", "2", "no_such_program"}, "cannot run \"no_such_program\""},
    {"RunADirectory", {"run", "-n", "2", "/tmp"}, "cannot run \"/tmp\""},
    {"RunUnknownInterface",
     {"run", "-n", "2", "--interface", "nosuch0", "true"},
     "no network interface \"nosuch0\""},
    {"RunUnknownOption", {"run", "--colour", "-n", "2", "true"}, "--colour"},
    {"MissingValue", {"plan", "all_gather", "--bytes"}, "--bytes"},
    {"BenchWithoutCollective", {"bench"}, "collective"},
};

INSTANTIATE_TEST_SUITE_P(Tool, BadInputTest, testing::ValuesIn(kBadInputs),
                         [](const auto& entry) { return std::string(entry.param.name); });

constexpr const char* kSuite =
    "schema = \"conccl.suite/1\"\nname = \"mine\"\ntype = \"bf16\"\n[[scenario]]\n"
    "name = \"a\"\ngemm = \"64x64x64\"\ncollectives = [\"all_gather\"]\nsource = \"test\"\n";

TEST(BadFile, UnknownSuiteFieldIsNamedWithItsPlace) {
  const TemporaryDirectory directory;
  const auto file =
      directory.file_with("suite.toml", std::string(kSuite) + "bytes = \"64K\"\ncolour = 3\n");
  expect_error(conccl({"c3", file}), cli::ExitCode::usage, "suite.toml:10:1");
}

TEST(BadFile, UnknownSuiteUnitIsNamedWithItsPlace) {
  const TemporaryDirectory directory;
  const auto file = directory.file_with("suite.toml", std::string(kSuite) + "bytes = \"64Q\"\n");
  expect_error(conccl({"c3", file}), cli::ExitCode::usage, "suite.toml:9:");
}

TEST(BadFile, BrokenTomlIsNamedWithItsPlace) {
  const TemporaryDirectory directory;
  const auto file = directory.file_with("suite.toml", "schema = \"conccl.suite/1\"\nname = = 3\n");
  expect_error(conccl({"c3", file}), cli::ExitCode::usage, "suite.toml:2:");
}

TEST(BadFile, UnknownMachineFieldIsNamedWithItsPlace) {
  const TemporaryDirectory directory;
  const auto file = directory.file_with("machine.toml", "name = \"m\"\nwheels = 4\n");
  expect_error(conccl({"c3", "--machine", file}), cli::ExitCode::usage, "machine.toml:");
}

TEST(BadTarget, DirectoryThatDoesNotExist) {
  expect_error(conccl({"c3", "--json", "/no/such/directory/report.json"}),
               cli::ExitCode::run_failed, "cannot write \"/no/such/directory/report.json\"");
}

TEST(BadTarget, DirectoryInsteadOfAFile) {
  const TemporaryDirectory directory;
  expect_error(conccl({"bench", "all_gather", "--json", directory.file("")}),
               cli::ExitCode::run_failed, "directory");
}

TEST(BadTarget, FullDevice) {
  expect_error(conccl({"c3", "--json", "/dev/full"}), cli::ExitCode::run_failed,
               "No space left on device");
  expect_error(conccl({"c3", "--csv", "/dev/full"}), cli::ExitCode::run_failed,
               "No space left on device");
}

TEST(BadTarget, FullStandardOutput) {
  const auto outcome =
      run_program({"/bin/sh", {"-c", std::string(CONCCL_PROGRAM) + " machine >/dev/full"}, {}});
  expect_error(outcome, cli::ExitCode::run_failed, "No space left on device");
}

TEST(BadTarget, EarlierReportStaysWhenARunFailsToStart) {
  const TemporaryDirectory directory;
  const auto file = directory.file_with("report.json", "earlier");
  expect_error(conccl({"bench", "all_gather", "-g", "60000", "--json", file}), cli::ExitCode::usage,
               "60000");
  EXPECT_EQ(directory.read("report.json"), "earlier");
  EXPECT_EQ(directory.files(), 1u);
}

TEST(Interrupt, EndsWithAPartialReport) {
  const TemporaryDirectory directory;
  const auto suite = directory.file_with(
      "suite.toml",
      "schema = \"conccl.suite/1\"\nname = \"two\"\ntype = \"bf16\"\n[[scenario]]\n"
      "name = \"a\"\ngemm = \"4096x4096x4096\"\nsource = \"test\"\nbytes = \"64M\"\n"
      "collectives = [\"all_gather\", \"all_to_all\"]\n");
  Process process({CONCCL_PROGRAM,
                   {"c3", suite, "--ranks", "2", "--rounds", "10", "--warmup", "0", "--strategies",
                    "serial,conccl", "--json", directory.file("report.json")},
                   {}});
  ASSERT_TRUE(process.wait_for_line({"a ", "all_gather"}, std::chrono::seconds(120)));
  process.send_signal(SIGINT);
  const auto outcome = process.finish(std::chrono::seconds(60));
  expect_error(outcome, cli::ExitCode::interrupted, "interrupted");
  EXPECT_THAT(outcome.out, HasSubstr("partial"));
  const auto report = nlohmann::json::parse(directory.read("report.json"));
  EXPECT_EQ(report["partial"], true);
  EXPECT_EQ(report["results"].size(), 2u);
}

}  // namespace
}  // namespace conccl::test
