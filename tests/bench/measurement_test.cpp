// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Rounds that rest: the time that passes at least is known.

#include "bench/measurement.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "conccl/bench/study.hpp"
#include "tests/bench/trace_support.hpp"

namespace conccl::bench {
namespace {

using test::Stage;

TEST(MeasureRounds, RestAfterEveryRun) {
  test::on_ranks_here(2, [](Stage& stage) {
    std::vector<Measurement> measured(2, {stage.strategy(), {Parts::Kind::comm}, {}, {}});
    std::mt19937_64 random(1);
    const Seconds span =
        measure_rounds(stage.workload, measured, {0, 3, kLongestRest}, random, [] {});
    double ran_ms = 0;
    for (const auto& entry : measured) {
      EXPECT_EQ(entry.times_ms.size(), 3U);
      ran_ms = std::accumulate(entry.times_ms.begin(), entry.times_ms.end(), ran_ms);
    }
    EXPECT_GT(ran_ms, 0);
    EXPECT_GE(Milliseconds(span).count(), kLongestRest * ran_ms);
  });
}

}  // namespace
}  // namespace conccl::bench
