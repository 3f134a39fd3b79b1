// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/backend/hsa/hip/support.hpp"

namespace conccl::backend::hsa::hip {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Devices = OnDoubles;

TEST_F(Devices, AStreamBelongsToTheGpuAtItsDevicesAddress) {
  fake().set("gpus", 4);
  fake_hip().set("order", "2,0,3,1");
  const std::vector<int> order{2, 0, 3, 1};
  (void)backend();
  for (int ordinal = 0; ordinal < 4; ++ordinal) {
    caller().set_device(ordinal);
    const auto stream = caller().stream();
    for (int gpu = 0; gpu < 4; ++gpu) {
      SCOPED_TRACE(testing::Message() << "GPU " << gpu << ", HIP device " << ordinal);
      const auto rank = device(gpu);
      if (gpu == order[static_cast<std::size_t>(ordinal)]) {
        EXPECT_TRUE(rank->stream_id(stream.get()));
        EXPECT_EQ(rank->wrap(stream.get())->native(), stream.get());
        continue;
      }
      EXPECT_THAT(refusal<InputError>([&] { (void)rank->wrap(stream.get()); }),
                  AllOf(HasSubstr("is of HIP device " + std::to_string(ordinal)),
                        HasSubstr("this rank's GPU " + std::to_string(gpu))));
      EXPECT_THROW((void)rank->stream_id(stream.get()), InputError);
    }
  }
}

TEST_F(Devices, TheCurrentDeviceIsTheGpuThatTheThreadChose) {
  fake().set("gpus", 3);
  fake_hip().set("order", "2,0,1");
  (void)backend();
  for (const auto& [ordinal, gpu] : {std::pair{0, 2}, {1, 0}, {2, 1}}) {
    caller().set_device(ordinal);
    EXPECT_EQ(backend().current_device(), gpu);
  }
}

TEST_F(Devices, TheCallersDeviceStaysAsItWas) {
  fake().set("gpus", 3);
  const auto other = device(2);
  caller().set_device(1);
  const auto gemm = other->make_gemm({{8, 8, 8}}, 1);
  const auto queue = other->wrap(nullptr);
  queue->compute(*gemm, {});
  finish(*queue);
  EXPECT_EQ(backend().current_device(), 1);
}

TEST_F(Devices, AGpuThatHipDoesNotSeeHasNeitherStreamsNorGemms) {
  fake().set("gpus", 4);
  fake_hip().set("order", "3,1");
  EXPECT_THAT(warnings_with("HIP"),
              ElementsAre(AllOf(HasSubstr("GPUs 0, 2"), HasSubstr("HIP_VISIBLE_DEVICES"))));
  const auto hidden = device(2);
  EXPECT_THAT(refusal<Unavailable>([&] { (void)hidden->wrap(nullptr); }), HasSubstr("GPU 2"));
  EXPECT_THAT(refusal<Unavailable>([&] { (void)hidden->make_gemm({{8, 8, 8}}, 1); }),
              HasSubstr("GPU 2"));
  const auto seen = device(3);
  EXPECT_NE(seen->wrap(nullptr), nullptr);
  EXPECT_NE(seen->make_gemm({{8, 8, 8}}, 1), nullptr);
}

TEST_F(Devices, TheVariableOfTheDoubleOrdersDevicesToo) {
  fake().set("gpus", 2);
  environment().set("CONCCL_FAKE_HIP", "order=1,0");
  (void)backend();
  caller().set_device(0);
  EXPECT_EQ(backend().current_device(), 1);
}

}  // namespace
}  // namespace conccl::backend::hsa::hip
