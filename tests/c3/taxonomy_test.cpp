// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/taxonomy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "conccl/core/errors.hpp"
#include "tests/c3/support.hpp"

namespace conccl::c3 {
namespace {

Balance balance(std::int64_t t_gemm, std::int64_t t_comm) {
  return balance_of(Nanoseconds(t_gemm), Nanoseconds(t_comm));
}

TEST(Balance, BordersBelongToEqual) {
  EXPECT_EQ(balance(115, 100), Balance::gc_equal);
  EXPECT_EQ(balance(100, 115), Balance::gc_equal);
  EXPECT_EQ(balance(1'150'000'001, 1'000'000'000), Balance::g_long);
  EXPECT_EQ(balance(1'000'000'000, 1'150'000'001), Balance::c_long);
  EXPECT_EQ(balance(7, 7), Balance::gc_equal);
  EXPECT_EQ(balance(1, 0), Balance::g_long);
  EXPECT_EQ(balance(0, 1), Balance::c_long);
}

RC_GTEST_PROP(Balance, SwapsWithItsTimes, ()) {
  const auto a = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000);
  const auto b = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000);
  const Balance ab = balance(a, b);
  const Balance ba = balance(b, a);
  RC_ASSERT((ab == Balance::g_long) == (ba == Balance::c_long));
  RC_ASSERT((ab == Balance::gc_equal) == (ba == Balance::gc_equal));
}

TEST(Balance, Names) {
  EXPECT_EQ(name_of(Balance::g_long), "G-long");
  EXPECT_EQ(name_of(Balance::c_long), "C-long");
  EXPECT_EQ(name_of(Balance::gc_equal), "GC-equal");
  EXPECT_EQ(name_of(GemmBound::compute), "compute-bound");
  EXPECT_EQ(name_of(GemmBound::memory), "memory-bound");
}

TEST(GemmBound, IsTheLargerRooflineTerm) {
  const Machine machine = round_machine();
  // 2e12 operations, 20 ms; 6e6 elements of 2 bytes, 12 us.
  EXPECT_EQ(bound_of(machine, {10'000, 10'000, 10'000}), GemmBound::compute);
  // 2e8 operations, 2 us; 1e8 elements and more, 0.2 ms.
  EXPECT_EQ(bound_of(machine, {10'000, 10'000, 1}), GemmBound::memory);
}

TEST(GemmBound, DependsOnTheType) {
  // In bf16 0.24 ms of operations and 0.205 ms of bytes, in fp8 0.12 and 0.202: most of the bytes
  // are the result's.
  EXPECT_EQ(bound_of(round_machine(), {10'000, 10'000, 120}), GemmBound::compute);
  EXPECT_EQ(bound_of(round_machine(), {{10'000, 10'000, 120}, GemmType::fp8}), GemmBound::memory);
}

TEST(GemmBound, NeedsNoEfficiency) {
  Machine machine = round_machine();
  machine.device.gemm_efficiency = 0;
  EXPECT_EQ(bound_of(machine, {10'000, 10'000, 1}), GemmBound::memory);
}

TEST(Metrics, ByHand) {
  // One after the other 10 ms; at best 6 ms; took 8 ms.
  const C3Times times{.t_gemm_ms = 6, .t_comm_ms = 4, .t_c3_ms = 8};
  EXPECT_DOUBLE_EQ(ideal_speedup(times), 10.0 / 6.0);
  EXPECT_DOUBLE_EQ(speedup(times), 1.25);
  // 0.25 of 0.6667.
  EXPECT_DOUBLE_EQ(percent_of_ideal(times).value(), 37.5);
}

TEST(Metrics, SlowerThanSerialIsBelowZero) {
  // Speedup 0.8 where 2 is ideal.
  EXPECT_DOUBLE_EQ(percent_of_ideal({.t_gemm_ms = 4, .t_comm_ms = 4, .t_c3_ms = 10}).value(), -20);
}

TEST(Metrics, IdealsTooCloseToOneHaveNoPercent) {
  EXPECT_FALSE(percent_of_ideal({.t_gemm_ms = 100, .t_comm_ms = 4.9, .t_c3_ms = 100}));
  EXPECT_TRUE(percent_of_ideal({.t_gemm_ms = 100, .t_comm_ms = 5.1, .t_c3_ms = 100}));
  EXPECT_FALSE(percent_of_ideal({.t_gemm_ms = 5, .t_comm_ms = 0, .t_c3_ms = 5}));
  EXPECT_FALSE(percent_of_ideal({.t_gemm_ms = 0, .t_comm_ms = 0, .t_c3_ms = 1}));
}

TEST(Metrics, NoConcurrentTimeIsADefect) {
  EXPECT_THROW((void)speedup({.t_gemm_ms = 1, .t_comm_ms = 1, .t_c3_ms = 0}), BrokenInvariant);
}

double positive_ms() { return *rc::gen::inRange(1, 1'000'000) / 1000.0; }

/// Times whose ideal is far enough from 1 to have a percentage.
C3Times any_times() {
  C3Times times{.t_gemm_ms = positive_ms(), .t_comm_ms = positive_ms(), .t_c3_ms = positive_ms()};
  RC_PRE(ideal_speedup(times) >= kLeastIdeal);
  return times;
}

RC_GTEST_PROP(PercentOfIdeal, IsHundredAtTheLongerOne, ()) {
  C3Times times = any_times();
  times.t_c3_ms = std::max(times.t_gemm_ms, times.t_comm_ms);
  RC_ASSERT(std::abs(percent_of_ideal(times).value() - 100) < 1e-9);
}

RC_GTEST_PROP(PercentOfIdeal, IsZeroAtTheSum, ()) {
  C3Times times = any_times();
  times.t_c3_ms = times.t_gemm_ms + times.t_comm_ms;
  RC_ASSERT(std::abs(percent_of_ideal(times).value()) < 1e-9);
}

RC_GTEST_PROP(PercentOfIdeal, FallsAsTheConcurrentTimeGrows, ()) {
  const C3Times times = any_times();
  C3Times slower = times;
  slower.t_c3_ms += positive_ms();
  RC_ASSERT(percent_of_ideal(slower).value() < percent_of_ideal(times).value());
}

RC_GTEST_PROP(PercentOfIdeal, DoesNotDependOnTheUnitOrTheOrder, ()) {
  const C3Times times = any_times();
  const C3Times other{.t_gemm_ms = 1000 * times.t_comm_ms,
                      .t_comm_ms = 1000 * times.t_gemm_ms,
                      .t_c3_ms = 1000 * times.t_c3_ms};
  const double percent = percent_of_ideal(times).value();
  RC_ASSERT(std::abs(percent_of_ideal(other).value() - percent) <=
            1e-9 * std::max(1.0, std::abs(percent)));
}

RC_GTEST_PROP(IdealSpeedup, LiesBetweenOneAndTwo, ()) {
  const C3Times times{.t_gemm_ms = positive_ms(), .t_comm_ms = positive_ms(), .t_c3_ms = 1};
  RC_ASSERT(ideal_speedup(times) > 1);
  RC_ASSERT(ideal_speedup(times) <= 2);
}

}  // namespace
}  // namespace conccl::c3
