// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Sizes, percents, and the check of every byte: that it passes what is right and names what is
// wrong.

#include "bench/workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bench/against_ideal.hpp"
#include "bench/sizing.hpp"
#include "conccl/backend/registry.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

constexpr int kRanks = 2;
constexpr Bytes kBlock = 4096;

class Checked : public testing::Test {
 protected:
  static Configuration configuration(const plan::Request& request) {
    return collective_alone(request, {});
  }
  static std::string failure_of(Workload& workload, const Configuration& broken) {
    CheckCounts counts;
    try {
      static_cast<void>(workload.run_checked(broken, {Parts::Kind::comm}, counts));
      return "passed";
    } catch (const CheckFailed& error) {
      EXPECT_GT(counts.mismatches, 0U);
      return error.what();
    }
  }

  std::unique_ptr<backend::Backend> backend_ = backend::open("host");
  Ranks ranks_{*backend_, kRanks, {}};
  Rig rig_{ranks_, backend_->capabilities(), nullptr};
  std::vector<std::unique_ptr<backend::Gemm>> no_gemms_;
  Workload workload_{rig_, request_for(plan::Collective::all_gather, kRanks, kBlock), no_gemms_};
};

/// The one copy of a lane of `rank`.
plan::Copy& copy_of(Configuration& configuration, std::size_t rank) {
  for (auto& step : configuration.lanes[rank].lanes[0].steps) {
    if (auto* copy = std::get_if<plan::Copy>(&step)) return *copy;
  }
  throw BrokenInvariant("no copy");
}

TEST_F(Checked, PassesWhatIsRightRoundAfterRound) {
  CheckCounts counts;
  for (int round = 0; round < 3; ++round) {
    static_cast<void>(
        workload_.run_checked(configuration(workload_.request()), {Parts::Kind::comm}, counts));
  }
  EXPECT_EQ(counts.bytes, 3 * kRanks * kRanks * kBlock);
  EXPECT_EQ(counts.mismatches, 0U);
}

TEST_F(Checked, NamesTheFirstByteThatNeverCame) {
  auto broken = configuration(workload_.request());
  copy_of(broken, 0).bytes -= 5;
  EXPECT_THAT(failure_of(workload_, broken),
              testing::AllOf(testing::HasSubstr("rank 1: 5 of 8192 bytes wrong"),
                             testing::HasSubstr("offset 4091"), testing::HasSubstr("expected 0x"),
                             testing::HasSubstr("found 0x")));
}

TEST_F(Checked, NoticesBytesOfTheRoundBefore) {
  CheckCounts counts;
  const auto right = configuration(workload_.request());
  static_cast<void>(workload_.run_checked(right, {Parts::Kind::comm}, counts));
  auto broken = right;
  copy_of(broken, 1).bytes = 0;
  EXPECT_THAT(failure_of(workload_, broken), testing::HasSubstr("rank 0: "));
}

TEST_F(Checked, NoticesBytesFromTheWrongPlace) {
  auto broken = configuration(workload_.request());
  copy_of(broken, 1).src.offset -= 1;
  copy_of(broken, 1).bytes -= 1;
  EXPECT_THAT(failure_of(workload_, broken), testing::HasSubstr("rank 0: "));
}

TEST_F(Checked, NoticesAGemmThatDidNotRun) {
  const auto gemms = make_gemms(rig_, {32, 32, 32}, 1);
  Workload workload(rig_, request_for(plan::Collective::all_gather, kRanks, kBlock), gemms);
  static_cast<void>(workload.run_unchecked(gemm_alone(workload.request(), {})));
  for (const auto& gemm : gemms) gemm->keep_reference();
  CheckCounts counts;
  static_cast<void>(
      workload.run_checked(gemm_alone(workload.request(), {}), {Parts::Kind::gemm}, counts));
  EXPECT_EQ(counts.gemm_mismatches, 0U);
  EXPECT_THROW(static_cast<void>(workload.run_checked(configuration(workload.request()),
                                                      {Parts::Kind::both}, counts)),
               CheckFailed);
  EXPECT_GT(counts.gemm_mismatches, 0U);
}

TEST(ScaleGemm, KeepsProportionsWhereItCan) {
  const GemmShape scaled = scale_gemm({8192, 16384, 8192}, 1e8);
  EXPECT_EQ(scaled.m, scaled.k);
  EXPECT_NEAR(static_cast<double>(scaled.n) / static_cast<double>(scaled.m), 2, 0.02);
}

RC_GTEST_PROP(ScaleGemm, ReachesTheFlopsWithNoDimensionUnderTheLeast, ()) {
  const auto dimension = [] { return *rc::gen::inRange<std::int64_t>(1, 120'000); };
  const GemmShape shape{dimension(), dimension(), dimension()};
  const double wanted = *rc::gen::inRange<int>(1, 1000) * 1e6;
  const GemmShape scaled = scale_gemm(shape, wanted);
  RC_ASSERT(std::min({scaled.m, scaled.n, scaled.k}) >= kLeastDimension);
  // Each dimension is rounded to a whole number of at least 16: up to 1/32 each.
  RC_ASSERT(flops(scaled) > 0.9 * wanted && flops(scaled) < 1.1 * wanted);
}

TEST(AgainstIdeal, IsThePercentOfTheMedians) {
  const std::vector<double> gemm{4, 5, 6};
  const std::vector<double> comm{2, 2, 8};
  const std::vector<double> c3{6, 6, 6};
  const auto result = against_ideal({gemm, comm, c3, 1});
  EXPECT_DOUBLE_EQ(result.t_comm_ms, 2);
  EXPECT_DOUBLE_EQ(result.ideal, 7.0 / 5);
  EXPECT_DOUBLE_EQ(result.speedup, 7.0 / 6);
  ASSERT_TRUE(result.percent);
  EXPECT_NEAR(*result.percent, 100 * (1.0 / 6) / (2.0 / 5), 1e-9);
  ASSERT_TRUE(result.interval);
  EXPECT_LE(result.interval->low, *result.percent);
  EXPECT_GE(result.interval->high, *result.percent);
}

TEST(AgainstIdeal, HasNoPercentWhereTheIdealIsNearOne) {
  const std::vector<double> gemm{100, 100};
  const std::vector<double> comm{1, 1};
  const auto result = against_ideal({gemm, comm, gemm, 1});
  EXPECT_FALSE(result.percent);
  EXPECT_FALSE(result.interval);
}

}  // namespace
}  // namespace conccl::bench
