// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/gemm.hpp"

#include <bit>
#include <cmath>

#include "tests/backend/hsa/hip/support.hpp"

namespace conccl::backend::hsa::hip {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr GemmShape kOdd{7, 19, 33};

/// Value `at` of a matrix, decoded here. The double's memory is the host's.
double value_in(const Memory& matrix, GemmType type, std::int64_t at) {
  const auto index = static_cast<std::size_t>(at);
  if (type == GemmType::fp32) return static_cast<const float*>(matrix.data())[index];
  const unsigned bits = static_cast<const std::uint16_t*>(matrix.data())[index];
  if (type == GemmType::bf16) return std::bit_cast<float>(bits << 16U);
  const int exponent = static_cast<int>(bits >> 10U & 0x1FU);
  const int fraction = static_cast<int>(bits & 0x3FFU) + (exponent == 0 ? 0 : 0x400);
  const double size = std::ldexp(fraction, std::max(exponent, 1) - 25);
  return bits >> 15U != 0 ? -size : size;
}

class Gemms : public OnDoubles, public testing::WithParamInterface<GemmType> {
 protected:
  /// What is late keeps the failed GPU for those who come next.
  void TearDown() override {
    fake_hip().reset();
    gpu_.reset();
    close();
    while (collect_late() != 0) std::this_thread::yield();
  }

  [[nodiscard]] std::unique_ptr<Queue> lane(plan::Share share = {},
                                            plan::Priority priority = plan::Priority::normal) {
    return gpu().make_queue({"gemms", plan::Engine::compute, share, priority});
  }
  [[nodiscard]] Device& gpu() {
    if (!gpu_) gpu_ = device(0);
    return *gpu_;
  }
  static void run_on(Queue& queue, Task& task) {
    queue.compute(task, {});
    finish(queue);
  }
  /// What the queue says of the GEMM's end; the GPU has failed then.
  std::string failure_of(Task& task) {
    const auto queue = lane();
    queue->compute(task, {});
    queue->submit();
    const auto what = refusal<RunError>([&] { (void)queue->synchronize(kLimit); });
    EXPECT_EQ(gpu().failure().value_or("none"), what);
    return what;
  }

 private:
  std::unique_ptr<Device> gpu_;
};

TEST_P(Gemms, ItIsTheProductByRows) {
  const GemmSpec spec{kOdd, GetParam()};
  const auto made = gpu().make_gemm(spec, 5);
  run_on(*lane(), *made);
  const auto& product = dynamic_cast<const HipGemm&>(*made).product();
  const auto at = [&](const Memory& matrix, std::int64_t place) {
    return value_in(matrix, spec.type, place);
  };
  const double rounding = spec.type == GemmType::bf16 ? 0x1p-8 : 0x1p-11;
  double largest = 0;
  for (std::int64_t row = 0; row < kOdd.m; ++row) {
    for (std::int64_t column = 0; column < kOdd.n; ++column) {
      double expected = 0;
      for (std::int64_t i = 0; i < kOdd.k; ++i) {
        expected += at(product.a(), row * kOdd.k + i) * at(product.b(), i * kOdd.n + column);
      }
      const double found = at(product.c(), row * kOdd.n + column);
      ASSERT_NEAR(found, expected, rounding * std::fabs(expected) + 1e-5) << row << ", " << column;
      largest = std::max(largest, std::fabs(found));
    }
  }
  EXPECT_GT(largest, 1);
}

TEST_P(Gemms, OperandsFillTheirRange) {
  const auto made = gpu().make_gemm({kOdd, GetParam()}, 5);
  const auto& product = dynamic_cast<const HipGemm&>(*made).product();
  for (const Memory* operand : {&product.a(), &product.b()}) {
    const auto count = static_cast<std::int64_t>(operand->bytes() / operand_bytes(GetParam()));
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double value = value_in(*operand, GetParam(), i);
      ASSERT_LE(std::fabs(value), 1);
      sum += std::fabs(value);
    }
    EXPECT_NEAR(sum / static_cast<double>(count), 0.5, 0.1);
  }
}

TEST_P(Gemms, AFlippedBitOfTheResultIsFound) {
  const auto made = gpu().make_gemm({kOdd, GetParam()}, 5);
  run_on(*lane(), *made);
  made->keep_reference();
  EXPECT_EQ(made->mismatches(), 0U);
  const auto& result = dynamic_cast<const HipGemm&>(*made).product().c();
  for (const Bytes place : {Bytes{0}, result.bytes() / 2, result.bytes() - 1}) {
    *result.at(place) ^= std::byte{4};
    EXPECT_EQ(made->mismatches(), 1U) << place;
    *result.at(place) ^= std::byte{4};
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Gemms,
                         testing::Values(GemmType::bf16, GemmType::fp16, GemmType::fp32));

TEST_F(Gemms, TheStreamHasTheQueuesUnitsOrItsPriority) {
  using Kind = plan::Share::Kind;
  const auto gemm = gpu().make_gemm({kOdd}, 5);
  EXPECT_EQ(fake_hip().get("units"), 0);
  run_on(*lane({Kind::only, 3}), *gemm);
  EXPECT_EQ(fake_hip().get("units"), 3);
  const int all = backend().capabilities().compute_units;
  run_on(*lane({Kind::all_but, 3}), *gemm);
  EXPECT_EQ(fake_hip().get("units"), all - 3);
  run_on(*lane({}, plan::Priority::high), *gemm);
  EXPECT_EQ(fake_hip().get("units"), 0);
  EXPECT_EQ(fake_hip().get("priority"), 1);
}

TEST_F(Gemms, StreamsAreUsedAgainAndThoseThatRunAreApart) {
  const auto first = gpu().make_gemm({kOdd}, 5);
  const auto second = gpu().make_gemm({kOdd}, 6);
  const auto before = fake_hip().get("streams");
  for (int round = 0; round < 10; ++round) {
    const auto queue = lane();
    queue->compute(*first, {});
    queue->compute(*second, {});
    finish(*queue);
  }
  EXPECT_EQ(fake_hip().get("streams"), before);
  const auto flags = gpu().make_flags(1);
  first->poison_result();
  const auto queue = lane();
  const auto other = lane();
  fake_hip().set("hang_at", "1");
  queue->compute(*first, {});
  queue->submit();
  EXPECT_FALSE(queue->synchronize(std::chrono::milliseconds(50)));
  run_on(*other, *second);
  EXPECT_EQ(fake_hip().get("streams"), before + 1);
  fake_hip().reset();
  EXPECT_TRUE(queue->synchronize(kLimit));
}

TEST_F(Gemms, ItRunsInTheOrderOfAStreamToo) {
  const auto gemm = gpu().make_gemm({kOdd}, 5);
  run_on(*lane(), *gemm);
  gemm->keep_reference();
  gemm->poison_result();
  const auto stream = caller().stream();
  const auto queue = gpu().wrap(stream.get());
  run_on(*queue, *gemm);
  EXPECT_TRUE(caller().synchronize(stream.get()));
  EXPECT_EQ(gemm->mismatches(), 0U);
}

TEST_F(Gemms, TheAlgorithmNamesBothLibraries) {
  EXPECT_EQ(gpu().make_gemm({kOdd}, 5)->algorithm(), "rocBLAS 4.2.0.double of HIP 6.2.41133");
}

TEST_F(Gemms, AGemmThatIsRefusedIsTheGpusFailure) {
  const auto gemm = gpu().make_gemm({kOdd}, 5);
  fake_hip().set("fail", "rocblas_gemm_ex");
  EXPECT_THAT(failure_of(*gemm),
              AllOf(HasSubstr("queue gemms of GPU 0"), HasSubstr("7x19x33 bf16"),
                    HasSubstr("rocblas_gemm_ex"), HasSubstr("rocblas_status_internal_error (6)")));
}

TEST_F(Gemms, AStreamThatFailsIsTheGpusFailure) {
  const auto gemm = gpu().make_gemm({kOdd}, 5);
  fake_hip().set("fail", "hipStreamQuery");
  EXPECT_THAT(failure_of(*gemm),
              AllOf(HasSubstr("queue gemms of GPU 0"), HasSubstr("hipErrorUnknown (999)")));
}

TEST_F(Gemms, AGemmThatDoesNotEndIsLate) {
  environment().set("CONCCL_HSA_DEADLINE", "0.2");
  auto gemm = gpu().make_gemm({kOdd}, 5);
  fake_hip().set("hang_at", "1");
  EXPECT_THAT(failure_of(*gemm),
              AllOf(HasSubstr("queue gemms of GPU 0"), HasSubstr("not ended in time")));
  gemm.reset();
  EXPECT_EQ(collect_late(), 1U) << "what it works on was let go while it runs";
}

TEST_F(Gemms, OneThatCannotBeMadeSaysWhy) {
  for (const char* call : {"rocblas_create_handle", "rocblas_set_atomics_mode",
                           "rocblas_set_stream", "rocblas_gemm_ex", "hipStreamQuery"}) {
    fake_hip().set("fail", call);
    const auto what = refusal<RunError>([&] { (void)gpu().make_gemm({kOdd}, 5); });
    if (std::string(call) == "hipStreamQuery") {
      EXPECT_THAT(what, AllOf(HasSubstr("first run"), HasSubstr("hipErrorUnknown (999)")));
    } else {
      EXPECT_THAT(what, AllOf(HasSubstr(call), HasSubstr("GPU 0")));
    }
    fake_hip().set("fail", "");
  }
  EXPECT_NE(gpu().make_gemm({kOdd}, 5), nullptr);
}

TEST_F(Gemms, StreamsThatCannotBeMadeAreTheGpusFailure) {
  const auto gemm = gpu().make_gemm({kOdd}, 5);
  fake_hip().set("fail", "hipExtStreamCreateWithCUMask");
  const auto queue = lane({plan::Share::Kind::only, 2});
  queue->compute(*gemm, {});
  queue->submit();
  EXPECT_THAT(refusal<RunError>([&] { (void)queue->synchronize(kLimit); }),
              HasSubstr("hipExtStreamCreateWithCUMask"));
}

}  // namespace
}  // namespace conccl::backend::hsa::hip
