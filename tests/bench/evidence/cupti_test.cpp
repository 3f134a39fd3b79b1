// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// CUPTI's protocol, against a library that speaks it (fake_cupti.cpp).

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "bench/evidence/evidence_round.hpp"
#include "conccl/core/errors.hpp"
#include "tests/bench/trace_support.hpp"

namespace conccl::bench {
namespace {

class Cupti : public testing::Test {
 protected:
  Cupti() {
    setenv("CONCCL_CUPTI", CONCCL_FAKE_CUPTI_PATH, 1);
    go_wrong("");
  }
  ~Cupti() override {
    unsetenv("CONCCL_CUPTI");
    unsetenv("CONCCL_FAKE_CUPTI");
  }

  static void go_wrong(const char* how) { setenv("CONCCL_FAKE_CUPTI", how, 1); }

  static std::string why_not(const std::function<void()>& work) {
    try {
      work();
    } catch (const Unavailable& error) {
      return error.what();
    }
    return "it worked";
  }

  /// How many are attached to the library.
  static int attached() {
    void* library = dlopen(CONCCL_FAKE_CUPTI_PATH, RTLD_NOW | RTLD_LOCAL);
    const auto count = reinterpret_cast<int (*)()>(dlsym(library, "fake_cupti_subscribers"));
    return count();
  }
};

TEST_F(Cupti, RecordsBecomePlainData) {
  const auto tracer = open_cupti();
  tracer->start();
  const Evidence evidence = tracer->stop();
  EXPECT_EQ(evidence.tracer, "CUPTI 13.0.1");
  ASSERT_EQ(evidence.kernels.size(), 1U);
  EXPECT_EQ(evidence.kernels[0].name, "gemm_kernel");
  EXPECT_EQ(evidence.kernels[0].device, 1);
  EXPECT_EQ(evidence.kernels[0].start, Nanoseconds(1000));
  EXPECT_EQ(evidence.kernels[0].end, Nanoseconds(1500));
  const Traffic traffic = traffic_of(evidence);
  EXPECT_EQ(traffic.peer_by_copy_engine, 16384U);
  EXPECT_EQ(traffic.local_otherwise, 32U);
  EXPECT_EQ(traffic.host, 64U);
  EXPECT_EQ(traffic.copy_channels, 2) << "a channel of each of two devices";
}

TEST_F(Cupti, CopiesKeepTheirDevicesAndBatches) {
  const auto tracer = open_cupti();
  tracer->start();
  const Evidence evidence = tracer->stop();
  ASSERT_EQ(evidence.copies.size(), 4U);
  std::set<std::pair<int, int>> ways;
  for (const auto& copy : evidence.copies) {
    if (copy.kind == CopyKind::peer) ways.emplace(copy.source, copy.destination);
    EXPECT_EQ(copy.copies, copy.kind == CopyKind::peer ? 1U : 4U);
  }
  EXPECT_THAT(ways, testing::ElementsAre(std::pair(0, 1), std::pair(1, 0)));
}

TEST_F(Cupti, EachRecordingStandsAlone) {
  const auto tracer = open_cupti();
  for (int round = 0; round < 3; ++round) {
    tracer->start();
    EXPECT_EQ(tracer->stop().copies.size(), 4U);
  }
}

TEST_F(Cupti, NothingIsLeftAttached) {
  {
    const auto tracer = open_cupti();
    EXPECT_EQ(attached(), 1);
    tracer->start();
  }
  EXPECT_EQ(attached(), 0);
  const auto again = open_cupti();
  again->start();
  EXPECT_EQ(again->stop().kernels.size(), 1U) << "nothing of the recording that was given up";
}

TEST_F(Cupti, MemsetsAreListedWithTheKernels) {
  go_wrong("memset");
  const auto tracer = open_cupti();
  tracer->start();
  EXPECT_THAT(kernel_names(tracer->stop()), testing::ElementsAre("gemm_kernel", "memset"));
}

TEST_F(Cupti, ComputeChannelsAreNotCopyEngines) {
  go_wrong("compute_channel");
  const auto tracer = open_cupti();
  tracer->start();
  const Traffic traffic = traffic_of(tracer->stop());
  EXPECT_EQ(traffic.peer_by_copy_engine, 0U);
  EXPECT_EQ(traffic.peer_otherwise, 16384U);
}

TEST_F(Cupti, LostRecordsAreNoRecords) {
  const auto tracer = open_cupti();
  go_wrong("dropped");
  tracer->start();
  EXPECT_THAT(why_not([&] { static_cast<void>(tracer->stop()); }),
              testing::MatchesRegex("CUPTI dropped [0-9]+ records"));
  go_wrong("incomplete");
  tracer->start();
  EXPECT_THAT(why_not([&] { static_cast<void>(tracer->stop()); }),
              testing::HasSubstr("cuptiActivityGetNextRecord"));
  go_wrong("");
  tracer->start();
  EXPECT_EQ(tracer->stop().copies.size(), 4U);
}

TEST_F(Cupti, SaysWhyItCannotWork) {
  go_wrong("no_driver");
  EXPECT_EQ(why_not([] { static_cast<void>(open_cupti()); }),
            "cuptiSubscribe: CUPTI_ERROR_NOT_INITIALIZED (15)");
  go_wrong("old");
  EXPECT_EQ(why_not([] { static_cast<void>(open_cupti()); }), "CUPTI of version 24, expected 13.x");
  go_wrong("no_memsets");
  const auto tracer = open_cupti();
  EXPECT_THAT(why_not([&] { tracer->start(); }), testing::HasSubstr("cuptiActivityEnable"));
  EXPECT_EQ(why_not([] { static_cast<void>(open_cupti()); }),
            "another tracer records this process already");
}

TEST_F(Cupti, NamesALibraryThatIsNotThere) {
  setenv("CONCCL_CUPTI", "/nowhere/libcupti.so", 1);
  EXPECT_THAT(why_not([] { static_cast<void>(open_cupti()); }),
              testing::StartsWith("CONCCL_CUPTI=/nowhere/libcupti.so: "));
  setenv("CONCCL_CUPTI", CONCCL_NOT_CUPTI_PATH, 1);
  EXPECT_THAT(why_not([] { static_cast<void>(open_cupti()); }),
              testing::HasSubstr("no cuptiGetVersion in it"));
}

TEST_F(Cupti, ARoundOnRanksThatRunEndsInAVerdict) {
  test::on_ranks_here(2, [](test::Stage& stage) {
    EvidenceRound round(stage.ranks, stage.workload);
    round.learn_gemm(gemm_alone(stage.workload.request(), {}));
    const auto yes = round.look_at(stage.strategy(), {Parts::Kind::both});
    EXPECT_EQ(
        yes.text,
        "on copy engines: yes, 16384 bytes of 16384 expected by 2 asynchronous copy channels, "
        "no kernel beside the GEMM; 32 bytes within devices by other channels");
    EXPECT_EQ(yes.tracer, "CUPTI 13.0.1");
    go_wrong("collective_kernel");
    const auto no = round.look_at(stage.strategy(), {Parts::Kind::both});
    EXPECT_EQ(no.carrier, Carrier::others);
    EXPECT_THAT(no.text, testing::StartsWith("on copy engines: no: kernels all_gather ran"));
    go_wrong("dropped");
    const auto unknown = round.look_at(stage.strategy(), {Parts::Kind::both});
    EXPECT_THAT(unknown.text, testing::StartsWith("no evidence: process of rank 0: CUPTI dropped"));
  });
}

}  // namespace
}  // namespace conccl::bench
