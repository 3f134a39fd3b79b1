// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include "conccl/backend/host.hpp"
#include "conccl/core/errors.hpp"
#include "tests/backend/cuda/support.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr Bytes kBytes = kMiB;
constexpr Pattern kFirst{0, 1};
constexpr Pattern kSecond{0, 2};

class Graphs : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    source_ = first().allocate(kBytes);
    copied_ = first().allocate(kBytes);
    copied_again_ = first().allocate(kBytes);
  }
  /// Two copies, one behind the other.
  void enqueue(Queue& stream) const {
    stream.copy(copied_.data(), source_.data(), kBytes, {});
    stream.submit();
    stream.copy(copied_again_.data(), copied_.data(), kBytes, {});
    stream.submit();
  }
  void expect_copied(const Pattern& pattern) {
    const auto result = compare(first(), copied_again_.data(), kBytes, pattern);
    EXPECT_EQ(result.compared, kBytes);
    EXPECT_EQ(result.mismatches, 0u);
  }

  Memory source_;
  Memory copied_;
  Memory copied_again_;
};

TEST_F(Graphs, RunWhenTheyAreLaunchedAndAsOftenAsTheyAre) {
  const auto stream = queue(plan::Engine::dma);
  fill(first(), copied_again_.data(), kBytes, kSecond);
  fill(first(), source_.data(), kBytes, kFirst);
  const auto graph = capture_graph(*stream, [&] { enqueue(*stream); });
  finish(*stream);
  expect_copied(kSecond);
  graph->launch(*stream);
  finish(*stream);
  expect_copied(kFirst);
  fill(first(), source_.data(), kBytes, kSecond);
  graph->launch(*stream);
  graph->launch(*stream);
  finish(*stream);
  expect_copied(kSecond);
}

TEST_F(Graphs, HoldTheWorkOfOtherLibraries) {
  const auto stream = queue(plan::Engine::compute);
  fill(first(), source_.data(), kBytes, kFirst);
  const auto task = make_stream_task([this](void* native) {
    check(driver().cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(copied_again_.data()),
                                 reinterpret_cast<CUdeviceptr>(source_.data()), kBytes,
                                 static_cast<CUstream>(native)),
          {"cuMemcpyAsync", 0, kBytes});
  });
  const auto graph = capture_graph(*stream, [&] {
    stream->compute(*task, {});
    stream->submit();
  });
  graph->launch(*stream);
  finish(*stream);
  expect_copied(kFirst);
}

TEST_F(Graphs, OneInsideOfTheOther) {
  const auto outer = queue(plan::Engine::dma);
  const auto inner = queue(plan::Engine::dma);
  fill(first(), source_.data(), kBytes, kFirst);
  std::unique_ptr<Graph> second_half;
  const auto first_half = capture_graph(*outer, [&] {
    second_half = capture_graph(*inner, [&] {
      inner->copy(copied_again_.data(), copied_.data(), kBytes, {});
      inner->submit();
      outer->copy(copied_.data(), source_.data(), kBytes, {});
      outer->submit();
    });
  });
  first_half->launch(*outer);
  finish(*outer);
  second_half->launch(*inner);
  finish(*inner);
  expect_copied(kFirst);
}

TEST_F(Graphs, ACaptureThatThrowsLeavesTheStreamUsable) {
  const auto stream = queue(plan::Engine::dma);
  fill(first(), source_.data(), kBytes, kFirst);
  EXPECT_THROW(static_cast<void>(capture_graph(*stream,
                                               [&] {
                                                 enqueue(*stream);
                                                 throw RunError("made to fail");
                                               })),
               RunError);
  EXPECT_FALSE(stream->capturing());
  enqueue(*stream);
  finish(*stream);
  expect_copied(kFirst);
}

TEST_F(Graphs, RefuseWhatCannotBeCaptured) {
  const auto legacy = wrap_stream(first(), nullptr);
  EXPECT_THROW(static_cast<void>(capture_graph(*legacy, [] {})), InputError);
  const auto host = open_host();
  const auto device = host->open_device(0);
  const auto other = device->make_queue({"host", plan::Engine::dma, {}, plan::Priority::normal});
  EXPECT_THROW(static_cast<void>(capture_graph(*other, [] {})), InputError);
  const auto stream = queue(plan::Engine::dma);
  const auto graph = capture_graph(*stream, [&] { enqueue(*stream); });
  EXPECT_THROW(graph->launch(*other), InputError);
}

}  // namespace
}  // namespace conccl::backend::cuda
