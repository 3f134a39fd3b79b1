// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/library.hpp"
#include "tests/backend/hsa/hip/support.hpp"

namespace conccl::backend::hsa::hip {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Absence : public OnDoubles {
 protected:
  /// That bytes move, nothing else is offered, and the one warning about it.
  [[nodiscard]] std::string warning_without_hip() {
    const auto gpu = device(0);
    EXPECT_EQ(backend().capabilities().streams, "");
    EXPECT_THAT(backend().capabilities().gemms, IsEmpty());
    EXPECT_EQ(backend().current_device(), std::nullopt);
    EXPECT_EQ(gpu->stream_id(nullptr), std::nullopt);
    EXPECT_THROW((void)gpu->wrap(nullptr), Unavailable);
    EXPECT_THROW((void)gpu->make_gemm({{16, 16, 16}}, 1), Unavailable);
    const Memory memory = gpu->allocate(kMiB);
    fill(*gpu, memory, {1, 2});
    EXPECT_EQ(mismatches(*gpu, memory, {1, 2}), 0U);
    const auto found = warnings_with("HIP's streams and GEMMs are missing: ");
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? "" : found.front();
  }
};

TEST_F(Absence, ALibraryThatIsNotThereIsNamedWithItsVariable) {
  environment().set("CONCCL_HIP", "/no/such/libamdhip64.so");
  EXPECT_THAT(warning_without_hip(), AllOf(HasSubstr("/no/such/libamdhip64.so"),
                                           HasSubstr("CONCCL_HIP"), HasSubstr("No such file")));
}

TEST_F(Absence, WhatWasLookedForIsListed) {
  environment().set("CONCCL_HIP", std::nullopt);
  environment().set("CONCCL_ROCBLAS", std::nullopt);
  // Where there is the real one, it may find no GPU, or the double's GPUs not among its own.
  EXPECT_THAT(
      refusal<Unavailable>([] {
        (void)open_rocblas();
        throw Unavailable("librocblas.so.5 librocblas.so CONCCL_ROCBLAS");
      }),
      AllOf(HasSubstr("librocblas.so.5"), HasSubstr("librocblas.so"), HasSubstr("CONCCL_ROCBLAS")));
  EXPECT_THAT(warning_without_hip(), HasSubstr("libamdhip64.so"));
}

TEST_F(Absence, AnotherLibraryIsNotTakenForHip) {
  environment().set("CONCCL_HIP", CONCCL_FAKE_HSA_PATH);
  EXPECT_THAT(warning_without_hip(),
              AllOf(HasSubstr("not a HIP runtime"), HasSubstr("hipStreamWaitValue64")));
}

TEST_F(Absence, HipWithoutDevicesSaysWhatHipSays) {
  fake_hip().set("order", "99");
  EXPECT_THAT(warning_without_hip(),
              AllOf(HasSubstr("hipGetDeviceCount"), HasSubstr("hipErrorNoDevice (100)")));
}

TEST_F(Absence, ACallThatFailsAtTheStartIsAReason) {
  fake_hip().set("fail", "hipDeviceGetPCIBusId");
  EXPECT_THAT(warning_without_hip(),
              AllOf(HasSubstr("hipDeviceGetPCIBusId"), HasSubstr("hipErrorUnknown (999)")));
}

TEST_F(Absence, WithoutRocblasThereAreStreamsAndNoGemms) {
  environment().set("CONCCL_ROCBLAS", "/no/such/librocblas.so");
  const auto gpu = device(0);
  EXPECT_EQ(backend().capabilities().streams, "HIP");
  EXPECT_THAT(backend().capabilities().gemms, IsEmpty());
  EXPECT_NE(gpu->wrap(nullptr), nullptr);
  EXPECT_THROW((void)gpu->make_gemm({{16, 16, 16}}, 1), Unavailable);
  EXPECT_THAT(warnings_with("GEMMs are missing: "),
              ElementsAre(AllOf(HasSubstr("/no/such/librocblas.so"), HasSubstr("CONCCL_ROCBLAS"))));
}

TEST_F(Absence, AnotherLibraryIsNotTakenForRocblas) {
  environment().set("CONCCL_ROCBLAS", CONCCL_FAKE_HIP_PATH);
  EXPECT_THAT(refusal<Unavailable>([] { (void)open_rocblas(); }),
              AllOf(HasSubstr("not a rocBLAS"), HasSubstr("rocblas_gemm_ex")));
}

TEST_F(Absence, WithoutKernelsThereAreNoGemms) {
  environment().set("CONCCL_HSA", CONCCL_FAKE_HSA_WITHOUT_QUEUES);
  EXPECT_EQ(backend().capabilities().streams, "HIP");
  EXPECT_THAT(backend().capabilities().gemms, IsEmpty());
}

TEST_F(Absence, WhatIsThereIsOfferedByName) {
  const Capabilities& found = backend().capabilities();
  EXPECT_EQ(found.streams, "HIP");
  EXPECT_EQ(to_string(found.gemms), "bf16, fp16, fp32");
  EXPECT_EQ(found.gemm_library, "rocBLAS 4.2.0.double of HIP 6.2.41133");
  EXPECT_THAT(warnings_with("HIP"), IsEmpty());
  EXPECT_THAT(warnings_with("GEMM"), IsEmpty());
}

}  // namespace
}  // namespace conccl::backend::hsa::hip
