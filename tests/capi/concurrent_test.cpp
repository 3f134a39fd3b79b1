// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Telling a communicator which GEMM runs beside its collectives, and on which machine. What is then
// chosen is in the messages: CMakeLists.txt runs two of these tests once more and looks for it.

#include <cstring>

#include "tests/capi/support.hpp"
#include "tests/support/machine_file.hpp"

namespace conccl::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

concclGemm_t gemm_of(int m, int n, int k) {
  concclGemm_t gemm = CONCCL_GEMM_INITIALIZER;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  return gemm;
}

concclConfig_t on(const char* machine) {
  auto config = with_deadline(kPatienceMs);
  config.machine = machine;
  return config;
}

void gather_in_a_group(const Ranks& ranks) {
  const Gather gather(ranks.count(), 1000);
  ASSERT_OK(concclGroupStart());
  for (int rank = 0; rank < ranks.count(); ++rank) EXPECT_OK(gather.call(ranks, rank));
  ASSERT_OK(concclGroupEnd());
  ranks.synchronize();
  EXPECT_TRUE(gather.right());
}

void tell_and_gather(const std::string& dma_launch) {
  const MachineFile file(host_machine(2, dma_launch));
  const auto config = on(file.path().c_str());
  Ranks ranks(2, &config);
  const auto gemm = gemm_of(4096, 4096, 4096);
  for (auto* comm : ranks.comms) EXPECT_OK(concclConcurrentCompute(comm, &gemm));
  gather_in_a_group(ranks);
  for (auto* comm : ranks.comms) EXPECT_OK(concclConcurrentCompute(comm, nullptr));
  gather_in_a_group(ranks);
}

TEST(CConcurrentCompute, ToldWhereEnginesAreQuick) { tell_and_gather(kQuickDma); }

TEST(CConcurrentCompute, ToldWhereEnginesAreSlow) { tell_and_gather(kSlowDma); }

TEST(CConcurrentCompute, DifferentGemmsAreNamedAndNothingHangs) {
  Ranks ranks(2);
  const Gather gather(2, 8);
  const auto results = on_each_rank(2, [&](int rank) {
    const auto gemm = gemm_of(rank == 0 ? 100 : 200, 30, 40);
    EXPECT_OK(concclConcurrentCompute(ranks.comms[at(rank)], &gemm));
    return gather.call(ranks, rank);
  });
  EXPECT_THAT(results, Each(concclRemoteError));
  for (auto* comm : ranks.comms) {
    EXPECT_THAT(last_error(comm), AllOf(HasSubstr("concurrent GEMM of all_gather differs"),
                                        HasSubstr("rank 0 has 100x30x40 bf16"),
                                        HasSubstr("rank 1 has 200x30x40 bf16")));
  }
}

TEST(CConcurrentCompute, NullIsNoneAnyMore) {
  Ranks ranks(2);
  const auto gemm = gemm_of(100, 30, 40);
  EXPECT_OK(concclConcurrentCompute(ranks.comms[0], &gemm));
  EXPECT_OK(concclConcurrentCompute(ranks.comms[0], nullptr));
  gather_in_a_group(ranks);
}

TEST(CConcurrentCompute, WrongArgumentsAreRefused) {
  Ranks ranks(1);
  const auto tell = [&](const concclGemm_t& gemm) {
    return concclConcurrentCompute(ranks.comms[0], &gemm);
  };
  expect_refused(concclConcurrentCompute(nullptr, nullptr), concclInvalidArgument,
                 "concclConcurrentCompute");
  for (const auto& gemm : {gemm_of(0, 1, 1), gemm_of(1, -5, 1), gemm_of(1, 1, 0)}) {
    expect_refused(tell(gemm), concclInvalidArgument, "GEMM shape");
  }
  auto gemm = gemm_of(1, 1, 1);
  for (const int type : {-1, 4, CONCCL_CONFIG_UNDEF_INT}) {
    gemm.type = type;
    expect_refused(tell(gemm), concclInvalidArgument, "gemm: type");
  }
  for (const int type :
       {concclGemmBfloat16, concclGemmFloat16, concclGemmFloat8e4m3, concclGemmFloat32}) {
    gemm.type = type;
    EXPECT_OK(tell(gemm));
  }
  std::memset(&gemm, 0, sizeof gemm);
  expect_refused(tell(gemm), concclInvalidArgument, "CONCCL_GEMM_INITIALIZER");
}

TEST(CConcurrentCompute, StructureOfALaterVersion) {
  struct Later {
    concclGemm_t known = gemm_of(1, 1, 1);
    long long added = 0;
  } later;
  Ranks ranks(1);
  later.known.size = sizeof later;
  EXPECT_OK(concclConcurrentCompute(ranks.comms[0], &later.known));
  later.added = 1;
  expect_refused(concclConcurrentCompute(ranks.comms[0], &later.known), concclInvalidArgument,
                 "gemm: sets an option at byte 32");
}

TEST(CConcurrentCompute, RefusedInAGroupItFailsTheGroup) {
  Ranks ranks(1);
  const auto gemm = gemm_of(0, 1, 1);
  ASSERT_OK(concclGroupStart());
  EXPECT_EQ(concclConcurrentCompute(ranks.comms[0], &gemm), concclInvalidArgument);
  expect_refused(concclGroupEnd(), concclInvalidArgument, "GEMM shape");
}

concclResult_t init_two(const char* machine) {
  const auto config = on(machine);
  concclComm_t comms[2] = {};
  const auto result = concclCommInitAllConfig(comms, 2, nullptr, &config);
  for (auto* comm : comms) {
    if (comm != nullptr) {
      EXPECT_OK(concclCommDestroy(comm));
    }
  }
  return result;
}

TEST(CMachine, OneThatDoesNotFitIsNamed) {
  const MachineFile broken("name = 3\n");
  expect_refused(init_two(broken.path().c_str()), concclInvalidArgument, broken.path() + ":1:");
  const MachineFile larger(host_machine(3, kQuickDma));
  expect_refused(init_two(larger.path().c_str()), concclInvalidArgument, larger.path());
  expect_refused(init_two("mi300x"), concclInvalidArgument, "mi300x");
}

TEST(CMachine, TheEnvironmentsWhereAConfigurationHasNone) {
  const MachineFile file(host_machine(2, kQuickDma));
  setenv("CONCCL_MACHINE", "/no/such/machine", 1);
  expect_refused(init_two(nullptr), concclInvalidArgument, "/no/such/machine");
  EXPECT_OK(init_two(file.path().c_str()));
  EXPECT_OK(init_two("")) << "none";
  setenv("CONCCL_MACHINE", file.path().c_str(), 1);
  EXPECT_OK(init_two(nullptr));
  unsetenv("CONCCL_MACHINE");
}

}  // namespace
}  // namespace conccl::test
