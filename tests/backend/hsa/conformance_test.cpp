// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/backend/hsa/conformance/support.hpp"

namespace conccl::backend::hsa {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(HsaConformance, EveryRowIsSoOnTheDouble) {
  const auto outcome = run(kDouble, {"--gpus", "3"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const auto names = listed_rows();
  EXPECT_GT(names.size(), 50U);
  int unsafe = 0;
  for (const auto& name : names) {
    const auto line = line_of(outcome, name);
    if (line.rfind("unsafe, not run", 0) == 0) {
      ++unsafe;
    } else if (name == "gfx90a-engine-0") {
      EXPECT_THAT(line, HasSubstr("skipped   only on gfx90a, this is gfx942"));
    } else {
      EXPECT_EQ(line.substr(0, 2), "ok") << name << " " << line;
    }
  }
  EXPECT_EQ(unsafe, 3);
  EXPECT_EQ(lines_of(outcome.out).back(),
            fmt::format("{} ok, 0 differ, 1 skipped, 3 unsafe and not run", names.size() - 4));
  EXPECT_THAT(outcome.out, HasSubstr("bandwidth: left out, the library is a double"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("GB/s")));
}

TEST(HsaConformance, UnsafeRowsRunWhenAskedFor) {
  const auto outcome = run(
      kDouble, {"--gpus", "2", "--unsafe", "--only", "six-dependencies", "no-access", "ipc-freed"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(line_of(outcome, "six-dependencies"),
              HasSubstr("ok        the process ended by signal"));
  EXPECT_THAT(line_of(outcome, "no-access"), HasSubstr("ok        a memory fault, a signal of -"));
  EXPECT_THAT(line_of(outcome, "ipc-freed"), HasSubstr("ok        HSA_STATUS_ERROR"));
}

TEST(HsaConformance, TheHeadSaysWhatAReaderHasToKnow) {
  const auto outcome = run(kDouble, {"--gpus", "2", "--only", "init-counted"},
                           {{"HSA_ENABLE_PEER_SDMA", "0"}, {"ROCR_VISIBLE_DEVICES", "0,1\n2"}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(line_of(outcome, "program"), HasSubstr("conccl-hsa-conformance "));
  EXPECT_THAT(line_of(outcome, "kernel"), HasSubstr("Linux version"));
  EXPECT_EQ(line_of(outcome, "HSA_ENABLE_SDMA"), "not set");
  EXPECT_EQ(line_of(outcome, "HSA_ENABLE_PEER_SDMA"), "0");
  EXPECT_EQ(line_of(outcome, "ROCR_VISIBLE_DEVICES"), "0,1\\n2");
  for (const char* const name : {"HSA_ENABLE_SDMA_GANG", "HSA_ENABLE_SDMA_RECOMMENDED_ENG",
                                 "HSA_REV_COPY_DIR", "HSA_CU_MASK", "HSA_ENABLE_IPC_MODE_LEGACY"}) {
    EXPECT_EQ(line_of(outcome, name), "not set") << name;
  }
  EXPECT_EQ(line_of(outcome, "library"), kDouble);
  EXPECT_EQ(line_of(outcome, "lacks"), "nothing");
  EXPECT_EQ(line_of(outcome, "HSA version"), "1.1");
  EXPECT_THAT(line_of(outcome, "gpu 0"), AllOf(HasSubstr("(double), gfx942, 8 CUs"),
                                               HasSubstr("0000:10:00.0"), HasSubstr("node ")));
  EXPECT_EQ(line_of(outcome, "gpu 0 engines"), "2 for the host + 14 for peers");
  EXPECT_THAT(line_of(outcome, "gpu 0 pools"), HasSubstr("coarse 4G"));
  EXPECT_EQ(line_of(outcome, "gpu 0 links to"), "1: xGMI, 1 hop");
  EXPECT_EQ(line_of(outcome, "gpu 0 preferred engine to"), "1: 2");
  EXPECT_EQ(line_of(outcome, "gpu 0 driver's engine to"), "1: not known");
}

TEST(HsaConformance, CopiesOnOneEngineMayOvertakeAndThatIsSaid) {
  const Words words{"--gpus", "2", "--only", "no-dependency"};
  EXPECT_EQ(line_of(run_double("", words), "no-dependency"), "ok        a held copy held the next");
  EXPECT_EQ(line_of(run_double("overlap=1", words), "no-dependency"),
            "ok        the second overtook a held first");
}

TEST(HsaConformance, OtherPartsAreTestedAsTheyAre) {
  const auto mi200 = run_double("isa=gfx90a xgmi=3", {"--gpus", "2"});
  EXPECT_EQ(mi200.exit_code, 0) << mi200.out << mi200.err;
  EXPECT_EQ(line_of(mi200, "gfx90a-engine-0"), "ok");
  const auto six = run_double("xgmi=6", {"--gpus", "2"});
  EXPECT_EQ(six.exit_code, 0) << six.out << six.err;
  EXPECT_THAT(line_of(six, "host-engines"), HasSubstr("skipped   parts with 6 xGMI engines"));
  for (const char* const told : {"preferred=0", "preferred=many", "ring=4"}) {
    const auto other = run_double(told, {"--gpus", "2", "--bytes", "4097"});
    EXPECT_EQ(other.exit_code, 0) << told << "\n" << other.out << other.err;
  }
}

TEST(HsaConformance, OneGpuIsEnoughForWhatNeedsNoPeer) {
  const auto outcome = run_double("gpus=1", {});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(line_of(outcome, "push-bytes"), "skipped   needs two GPUs");
  EXPECT_EQ(line_of(outcome, "host-copies"), "ok        1 GPUs");
  EXPECT_THAT(line_of(outcome, "ipc-attach"), HasSubstr("ok "));
}

TEST(HsaConformance, GpusOutOfReachOfEachOtherSkipWhatNeedsPeers) {
  const auto outcome = run_double("no_peer_access=1", {"--gpus", "2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(line_of(outcome, "push-bytes"), "skipped   GPU 0 does not reach the memory of GPU 1");
  EXPECT_EQ(line_of(outcome, "host-copies"), "ok        2 GPUs");
}

TEST(HsaConformance, VariablesThatSendCopiesToAKernelAreSeen) {
  const Words words{"--gpus", "2", "--bytes", "4K"};
  const auto off = run(kDouble, words, {{"HSA_ENABLE_SDMA", "0"}});
  EXPECT_EQ(off.exit_code, 0) << off.out << off.err;
  EXPECT_EQ(line_of(off, "source-runs"), "skipped   HSA_ENABLE_SDMA=0: a kernel copies");
  EXPECT_THAT(line_of(off, "push-bytes"), HasSubstr("ok "));
  const auto reversed = run(kDouble, words, {{"HSA_REV_COPY_DIR", "1"}});
  EXPECT_EQ(reversed.exit_code, 0) << reversed.out << reversed.err;
  EXPECT_EQ(line_of(reversed, "source-runs"), "skipped   HSA_REV_COPY_DIR=1");
  EXPECT_THAT(line_of(reversed, "push-bytes"), HasSubstr("ok "));
}

struct Lacking {
  const char* call;
  const char* row;
};

class HsaConformanceOldRelease : public ::testing::TestWithParam<Lacking> {};

TEST_P(HsaConformanceOldRelease, SkipsTheRowThatNeedsIt) {
  const auto [call, row] = GetParam();
  const auto path = fmt::format("{}/libfake-hsa-without-{}.so", CONCCL_FAKE_HSA_FOLDER, call);
  const auto outcome = run(path, {"--gpus", "2", "--bytes", "4K"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(line_of(outcome, "lacks"), call);
  EXPECT_EQ(line_of(outcome, row), fmt::format("skipped   the library lacks {}", call));
}

INSTANTIATE_TEST_SUITE_P(
    Calls, HsaConformanceOldRelease,
    ::testing::Values(Lacking{"hsa_amd_memory_copy_engine_status", "source-runs"},
                      Lacking{"hsa_amd_memory_get_preferred_copy_engine", "preferred-engine"},
                      Lacking{"hsa_amd_memory_async_batch_copy", "batch-signals"},
                      Lacking{"hsa_amd_profiling_get_async_copy_time", "copy-times"}));

TEST(HsaConformance, ANumberOfADoubleIsGivenOnlyWhenAskedFor) {
  const auto outcome = run(kDouble, {"--gpus", "3", "--only", "init-counted", "--bandwidth", "4M"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("bandwidth: of a double, the numbers mean nothing"));
  EXPECT_THAT(outcome.out, HasSubstr(fmt::format("bandwidth, measured on {}", kDouble)));
  const std::regex row(R"((gpu 0 to [12]|to 2 at once) +(1M|4M) +[0-9.]+ GB/s)");
  const auto lines = lines_of(outcome.out);
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [&row](const std::string& line) { return std::regex_match(line, row); }),
            6);
}

TEST(HsaConformance, TheFileSaysTheSameAsTheTranscript) {
  const auto path = scratch("transcript.json");
  const auto outcome =
      run_double("busy=1", {"--gpus", "2", "--deadline", "1", "--json", path, "--bandwidth", "1M"});
  EXPECT_EQ(outcome.exit_code, 1);
  std::ifstream file(path);
  const auto report = nlohmann::json::parse(file);
  std::filesystem::remove(path);
  EXPECT_EQ(report.at("format"), "conccl-hsa-conformance 1");
  EXPECT_EQ(report.at("exit code"), 1);
  EXPECT_TRUE(report.at("ended early").is_null());
  EXPECT_EQ(report.at("facts").at("library"), kDouble);
  EXPECT_EQ(report.at("bandwidth").size(), 1U);
  EXPECT_EQ(report.at("rows").size(), listed_rows().size());
  for (const auto& row : report.at("rows")) {
    const auto line = line_of(outcome, row.at("row"));
    EXPECT_EQ(line.rfind(std::string(row.at("verdict")), 0), 0U) << line;
    EXPECT_THAT(line, HasSubstr(std::string(row.at("text"))));
    EXPECT_FALSE(std::string(row.at("rule")).empty());
  }
}

TEST(HsaConformance, AnInterruptEndsItWithWhatWasFound) {
  const auto path = scratch("interrupted.json");
  test::Process process(invocation(kDouble, {"--gpus", "2", "--deadline", "600", "--json", path},
                                   {{"CONCCL_FAKE_HSA", "hang_engine=2"}}));
  ASSERT_TRUE(process.wait_for_line({"host-copies", "ok"}, std::chrono::seconds(60)));
  process.send_signal(SIGINT);
  const auto outcome = process.finish(std::chrono::seconds(30));
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(line_of(outcome, "push-bytes"), "skipped   interrupted");
  EXPECT_EQ(line_of(outcome, "odd-sizes"), "no such line");
  EXPECT_THAT(outcome.out, HasSubstr("interrupted: what was found until then"));
  std::ifstream file(path);
  EXPECT_EQ(nlohmann::json::parse(file).at("exit code"), 130);
  std::filesystem::remove(path);
}

TEST(HsaConformance, AnInterruptEndsACallThatDoesNotReturn) {
  test::Process process(invocation(
      kDouble, {"--gpus", "2", "--deadline", "600", "--only", "init-counted", "many-copies"},
      {{"CONCCL_FAKE_HSA", "hang_engine=2 ring=8"}}));
  ASSERT_TRUE(process.wait_for_line({"init-counted", "ok"}, std::chrono::seconds(60)));
  process.send_signal(SIGINT);
  const auto outcome = process.finish(std::chrono::seconds(30));
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(line_of(outcome, "many-copies"), HasSubstr("skipped   interrupted"));
}

/// Without a library or a device: the reason, and nothing of rows.
void expect_unavailable(const Outcome& outcome, const std::string& reason) {
  EXPECT_EQ(outcome.exit_code, 3) << outcome.out << outcome.err;
  EXPECT_THAT(lines_of(outcome.out).back(), HasSubstr(reason));
  EXPECT_THAT(outcome.out, Not(HasSubstr("init-counted")));
}

TEST(HsaConformance, WithoutADeviceTheReasonIsTheEnd) {
  expect_unavailable(run_double("init_status=4104", {}),
                     "no device: hsa_init: HSA_STATUS_ERROR_OUT_OF_RESOURCES (0x1008)");
  expect_unavailable(run_double("gpus=0", {}), "0 GPUs found, 1 wanted");
  expect_unavailable(run_double("gpus=2", {"--gpus", "4"}), "2 GPUs found, 4 wanted");
}

TEST(HsaConformance, WithoutALibraryTheReasonIsTheEnd) {
  expect_unavailable(run("/no/such/lib.so", {}), "CONCCL_HSA: /no/such/lib.so: cannot open");
  expect_unavailable(run("libm.so.6", {}), "libm.so.6: not an HSA runtime");
  const auto old = fmt::format("{}/libfake-hsa-without-{}.so", CONCCL_FAKE_HSA_FOLDER,
                               "hsa_amd_memory_async_copy_on_engine");
  expect_unavailable(run(old, {}), "too old, it lacks hsa_amd_memory_async_copy_on_engine");
}

TEST(HsaConformance, DebiansOwnLibraryIsTooOld) {
  if (::access("/dev/kfd", F_OK) == 0) GTEST_SKIP() << "this machine has /dev/kfd";
  void* const library = ::dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "libhsa-runtime64.so.1 is not here";
  if (::dlsym(library, "hsa_amd_memory_async_copy_on_engine") != nullptr) {
    GTEST_SKIP() << "libhsa-runtime64.so.1 is newer than Debian 12's";
  }
  const auto outcome = run("libhsa-runtime64.so.1", {});
  expect_unavailable(outcome, "too old, it lacks hsa_amd_memory_async_copy_on_engine");
  EXPECT_THAT(line_of(outcome, "library"), HasSubstr("/libhsa-runtime64.so.1"));
  EXPECT_THAT(line_of(outcome, "lacks"), HasSubstr("hsa_amd_memory_copy_engine_status"));
}

TEST(HsaConformance, BadUsageIsOneLineAndExitCode2) {
  const std::pair<Words, const char*> cases[] = {
      {{"--only", "nonsense"}, "--only nonsense: no such row"},
      {{"--bytes", "0"}, "--bytes 0: expected 1 to 1G"},
      {{"--bytes", "2G"}, "--bytes 2G: expected 1 to 1G"},
      {{"--bytes", "much"}, "much"},
      {{"--bandwidth", "fast"}, "fast"},
      {{"--json", "/no/such/folder/x.json"}, "--json /no/such/folder/x.json: No such file"},
      {{"--gpus", "-1"}, "--gpus"},
      {{"--deadline", "0"}, "--deadline"},
      {{"--wrong"}, "--wrong"},
  };
  for (const auto& [words, text] : cases) {
    const auto outcome = run(kDouble, words);
    EXPECT_EQ(outcome.exit_code, 2) << text << outcome.out << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(text));
  }
  EXPECT_EQ(run(kDouble, {"--help"}).exit_code, 0);
}

}  // namespace
}  // namespace conccl::backend::hsa
