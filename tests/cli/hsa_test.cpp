// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What the tool says of AMD GPUs: on a double of the HSA runtime, and on a library that is none or
// too old.

#include <gtest/gtest.h>

#include "tests/cli/support.hpp"

namespace conccl::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Outcome run_on(const std::string& library, std::vector<std::string> arguments,
               const std::string& double_settings = {}) {
  return run_program({CONCCL_PROGRAM,
                      std::move(arguments),
                      {{"CONCCL_HSA", library}, {"CONCCL_FAKE_HSA", double_settings}}});
}

/// The double without one of its calls.
std::string without(const std::string& call) {
  std::string path = CONCCL_FAKE_HSA_PATH;
  return path.replace(path.rfind("libfake-hsa.so"), std::string::npos,
                      "libfake-hsa-without-" + call + ".so");
}

/// Byte checks need them.
bool has_kernels() {
  const auto doctor = run_on(CONCCL_FAKE_HSA_PATH, {"doctor"});
  return doctor.out.find("byte checks are missing") == std::string::npos;
}

TEST(Hsa, TheMachineIsPrintedWithTheChoiceOfEngines) {
  const auto outcome = run_on(CONCCL_FAKE_HSA_PATH, {"machine", "--backend", "hsa"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("8x AMD Instinct MI300X"), HasSubstr("dma_engines"),
                                 ContainsRegex("engines = \"of GPU 0: [0-9]+ to GPU 1 .preferred "
                                               "by the runtime")));
}

TEST(Hsa, TheDoctorSaysThatItNeverRan) {
  const auto outcome = run_on(CONCCL_FAKE_HSA_PATH, {"doctor"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("backend     hsa: works"), HasSubstr("never run on an AMD GPU")));
}

TEST(Hsa, ARuntimeThatIsTooOldIsAReason) {
  const auto old = without("hsa_amd_memory_async_copy_on_engine");
  const auto machine = run_on(old, {"machine", "--backend", "hsa"});
  EXPECT_EQ(machine.exit_code, 3);
  EXPECT_THAT(machine.err, AllOf(HasSubstr("too old"), HasSubstr("ROCm 5.6")));
  const auto doctor = run_on(old, {"doctor"});
  EXPECT_THAT(doctor.out, AllOf(HasSubstr("hsa: unavailable: "), HasSubstr("too old")));
}

TEST(Hsa, ARuntimeWithoutADeviceIsAReason) {
  const auto machine =
      run_on(CONCCL_FAKE_HSA_PATH, {"machine", "--backend", "hsa"}, "init_status=0x1008");
  EXPECT_EQ(machine.exit_code, 3);
  EXPECT_THAT(machine.err, AllOf(HasSubstr("no device"), HasSubstr("0x1008")));
}

TEST(Hsa, WhatIsInstalledHereIsAReason) {
  if (std::filesystem::exists("/dev/kfd")) GTEST_SKIP() << "this machine has an AMD GPU";
  const auto outcome = run_on("", {"machine", "--backend", "hsa"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("libhsa-runtime64.so.1"),
                                 testing::AnyOf(HasSubstr("not found"), HasSubstr("too old"),
                                                HasSubstr("no device"))));
}

TEST(Hsa, AFileThatIsNoRuntimeIsAReason) {
  const auto missing = run_on("/nowhere/libhsa.so", {"machine", "--backend", "hsa"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("CONCCL_HSA"), HasSubstr("/nowhere/libhsa.so")));
  const auto other = run_on("libm.so.6", {"machine", "--backend", "hsa"});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.err, HasSubstr("hsa_init"));
}

TEST(Hsa, AVariableThatSaysNothingIsWrongUsage) {
  const auto outcome =
      run_program({CONCCL_PROGRAM,
                   {"machine", "--backend", "hsa"},
                   {{"CONCCL_HSA", CONCCL_FAKE_HSA_PATH}, {"CONCCL_HSA_ENGINES", "all"}}});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("CONCCL_HSA_ENGINES"), HasSubstr("\"all\"")));
}

TEST(Hsa, BenchMovesEveryByteWithThreadsAndProcesses) {
  if (!has_kernels()) GTEST_SKIP() << "built without kernels for AMD GPUs";
  for (const auto* launch : {"threads", "processes"}) {
    const auto outcome =
        run_on(CONCCL_FAKE_HSA_PATH,
               {"bench", "all_to_all", "--backend", "hsa", "--ranks", "4", "--launch", launch, "-b",
                "4K", "-e", "256K", "-f", "8", "--iters", "2", "--rounds", "2"});
    EXPECT_EQ(outcome.exit_code, 0) << launch << ": " << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("Out of bounds values : 0 OK"));
  }
}

TEST(Hsa, TheStudyRunsEveryStrategyWithHip) {
  if (!has_kernels()) GTEST_SKIP() << "built without kernels for AMD GPUs";
  for (const auto* launch : {"threads", "processes"}) {
    const auto outcome =
        run_program({CONCCL_PROGRAM,
                     {"c3", "--backend", "hsa", "--gemm", "64x64x64", "--collective", "all_to_all",
                      "--bytes", "64K", "--ranks", "3", "--launch", launch, "--rounds", "2",
                      "--warmup", "1", "--attribution", "none"},
                     {{"CONCCL_HSA", CONCCL_FAKE_HSA_PATH},
                      {"CONCCL_HIP", CONCCL_FAKE_HIP_PATH},
                      {"CONCCL_ROCBLAS", CONCCL_FAKE_ROCBLAS_PATH}}});
    EXPECT_EQ(outcome.exit_code, 0) << launch << ": " << outcome.err;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("rocBLAS"), HasSubstr("c3_sp_rp"), HasSubstr("conccl_rp"),
                      HasSubstr("bytes of collectives, 0 wrong; GEMM results: 0 wrong"),
                      HasSubstr("the tracer follows CUDA streams")));
  }
}

TEST(Hsa, TheStudySaysThatThereIsNoGemmWithoutHip) {
  const auto outcome = run_program(
      {CONCCL_PROGRAM,
       {"c3", "--backend", "hsa", "--ranks", "2"},
       {{"CONCCL_HSA", CONCCL_FAKE_HSA_PATH}, {"CONCCL_HIP", "/nowhere/libamdhip64.so"}}});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("this backend has none"));
  const auto doctor = run_program(
      {CONCCL_PROGRAM,
       {"doctor"},
       {{"CONCCL_HSA", CONCCL_FAKE_HSA_PATH}, {"CONCCL_HIP", "/nowhere/libamdhip64.so"}}});
  EXPECT_THAT(doctor.out, HasSubstr("/nowhere/libamdhip64.so"));
}

TEST(Hsa, BenchNamesACopyThatFails) {
  if (!has_kernels()) GTEST_SKIP() << "built without kernels for AMD GPUs";
  const auto outcome = run_on(CONCCL_FAKE_HSA_PATH,
                              {"bench", "all_gather", "--backend", "hsa", "--ranks", "2", "-b",
                               "64K", "-e", "64K", "--iters", "2", "--rounds", "2"},
                              "fail_copy_at=3");
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("copy of 32768 bytes"), HasSubstr("signal value -")));
}

}  // namespace
}  // namespace conccl::test
