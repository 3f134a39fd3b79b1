// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Attribution of losses whose causes are known, because a small machine made them up.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/attribution/probes.hpp"
#include "conccl/c3/strategy.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

constexpr int kRounds = 9;
constexpr double kReadMs = 0.005;  // what two readings add to a GEMM's lane

/// A machine whose GEMM is slowed by exactly these.
struct Truth {
  double gemm_ms = 1.5;
  double comm_ms = 1.0;
  double late_ms = 0;
  double units = 1;  ///< how many times longer on the strategy's units
  double alone_ghz = 1.5;
  double together_ghz = 1.5;
  double zero_ghz = 1.8;
  double elasticity = 1;
  double on_chip = 1;  ///< how many times longer for cache and fabric
  double memory = 1;   ///< for memory, on top
  double comm_power = 1;
  double comm_on_chip = 1;
  double comm_memory = 1;
  double flags_ms = 0;
};

/// Its runs, as measured.
class FakeMachine {
 public:
  explicit FakeMachine(const Truth& truth) : truth_(truth) {}

  [[nodiscard]] double gemm(double ghz, double slower = 1) const {
    return truth_.gemm_ms * std::pow(truth_.alone_ghz / ghz, truth_.elasticity) * slower;
  }
  [[nodiscard]] double comm(double slower = 1) const { return truth_.comm_ms * slower; }

  [[nodiscard]] Probed probed(Copies copies = Copies::too_large) const {
    const Truth& t = truth_;
    const double contention = t.on_chip * t.memory;
    const double on_comm = t.comm_on_chip * t.comm_memory;
    Probed probed;
    probed.copies = copies;
    auto& series = probed.series;
    series[Probe::gemm] = only_gemm(gemm(t.alone_ghz), 0);
    series[Probe::comm] = both({}, {start(), comm()}, 0);
    const double slow = gemm(t.together_ghz, t.units * contention);
    const double slow_comm = comm(t.comm_power * on_comm) + t.flags_ms;
    series[Probe::together] = both({late(), slow}, {late(), slow_comm}, 0);
    if (t.units != 1) series[Probe::gemm_share] = only_gemm(gemm(t.alone_ghz, t.units), 0);
    series[Probe::gemm_read] = only_gemm(gemm(t.alone_ghz, t.units) + kReadMs, t.alone_ghz);
    series[Probe::gemm_zero] = only_gemm(gemm(t.zero_ghz, t.units) + kReadMs, t.zero_ghz);
    series[Probe::together_read] =
        both({late(), slow + kReadMs}, {late(), slow_comm}, t.together_ghz);
    const double zero = gemm(t.zero_ghz, t.units * contention) + kReadMs;
    series[Probe::together_zero] =
        both({late(), zero}, {late(), comm(on_comm) + t.flags_ms}, t.zero_ghz);
    if (copies == Copies::opaque) return probed;
    series[Probe::comm_flags] = both({}, {start(), 0.01}, 0);
    series[Probe::together_flags] =
        both({late(), gemm(t.alone_ghz)}, {late(), 0.01 + t.flags_ms}, 0);
    if (copies == Copies::fit) return probed;
    const double small = gemm(t.zero_ghz, t.units * t.on_chip) + kReadMs;
    series[Probe::comm_small] = both({}, {start(), comm()}, 0);
    series[Probe::together_small] =
        both({late(), small}, {late(), comm(t.comm_on_chip) + t.flags_ms}, t.zero_ghz);
    return probed;
  }

 private:
  struct Run {
    double start_ms = 0;
    double duration_ms = 0;
  };

  static double start() { return 0.002; }
  [[nodiscard]] double late() const { return start() + truth_.late_ms; }
  static Series only_gemm(double duration, double ghz) {
    return both({start(), duration}, {}, ghz);
  }
  /// Rank 1 is the slower one, by a hair; rounds scatter by a thousandth around the truth.
  static Series both(Run gemm, Run comm, double ghz) {
    Series series;
    for (int round = 0; round < kRounds; ++round) {
      const double scatter = 1 + 0.0005 * (round % 3 - 1);
      const auto span = [scatter](const Run& run, double of_rank) {
        const double end = run.start_ms + run.duration_ms * scatter * of_rank;
        return TaskSpan{run.start_ms, end};
      };
      series.push_back(
          {{span(gemm, 0.999), span(comm, 0.999), ghz}, {span(gemm, 1), span(comm, 1), ghz}});
    }
    return series;
  }

  Truth truth_;
};

double cause(const Attribution& attribution, std::string_view name) {
  for (const auto& each : attribution.causes) {
    if (each.name == name) return each.ms;
  }
  ADD_FAILURE() << "no cause " << name;
  return -1;
}

std::vector<std::string> names(const Attribution& attribution) {
  std::vector<std::string> list;
  for (const auto& each : attribution.causes) list.push_back(each.name);
  return list;
}

Attribution attribute_to(const Truth& truth, Copies copies = Copies::too_large) {
  return attribute(FakeMachine(truth).probed(copies));
}

TEST(Attribution, NothingIsLostWhereNothingSlowsAnything) {
  const auto result = attribute_to({});
  EXPECT_NEAR(result.loss.lost_ms, 0, 1e-9);
  EXPECT_FALSE(matters(result.loss));
  EXPECT_NEAR(result.unexplained_ms, 0, 1e-9);
  EXPECT_EQ(result.last, LastTask::gemm);
  EXPECT_EQ(result.rank, 1);
  EXPECT_EQ(explained_share(result), 0) << "of nothing";
}

TEST(Attribution, AClockThatFallsIsTheClock) {
  Truth truth;
  truth.together_ghz = 1.389;
  const auto result = attribute_to(truth);
  ASSERT_TRUE(result.clocks);
  EXPECT_NEAR(result.clocks->together_ghz, 1.389, 1e-9);
  EXPECT_NEAR(result.clocks->elasticity, 1, 0.02);
  const double lost = 1.5 * (1.5 / 1.389 - 1);
  EXPECT_NEAR(result.loss.lost_ms, lost, 1e-3);
  EXPECT_NEAR(cause(result, "clock"), lost, 2e-3);
  EXPECT_NEAR(cause(result, "cache and fabric"), 0, 1e-3);
  EXPECT_NEAR(cause(result, "memory"), 0, 1e-3);
  EXPECT_TRUE(matters(result.loss));
  EXPECT_GT(explained_share(result), 0.97);
}

TEST(Attribution, AMemoryBoundGemmLosesLittleToTheClock) {
  Truth truth;
  truth.together_ghz = 1.3;
  truth.elasticity = 0.2;
  const auto result = attribute_to(truth);
  EXPECT_NEAR(result.clocks->elasticity, 0.2, 0.02);
  EXPECT_NEAR(cause(result, "clock"), 1.5 * (std::pow(1.5 / 1.3, 0.2) - 1), 3e-3);
  EXPECT_GT(explained_share(result), 0.9);
}

TEST(Attribution, WhatStaysWithSmallCopiesIsCacheAndFabric) {
  Truth truth;
  truth.on_chip = 1.12;
  const auto result = attribute_to(truth);
  EXPECT_NEAR(cause(result, "cache and fabric"), 0.12 * 1.5, 2e-3);
  EXPECT_NEAR(cause(result, "memory"), 0, 2e-3);
  EXPECT_NEAR(cause(result, "clock"), 0, 1e-9);
  EXPECT_GT(explained_share(result), 0.97);
}

TEST(Attribution, WhatGoesWithSmallCopiesIsMemory) {
  Truth truth;
  truth.memory = 1.08;
  const auto result = attribute_to(truth);
  EXPECT_NEAR(cause(result, "cache and fabric"), 0, 2e-3);
  EXPECT_NEAR(cause(result, "memory"), 0.08 * 1.5, 2e-3);
  EXPECT_GT(explained_share(result), 0.97);
}

TEST(Attribution, CopiesThatFitOrCannotBeChangedAreOneCause) {
  Truth truth;
  truth.on_chip = 1.1;
  EXPECT_NEAR(cause(attribute_to(truth, Copies::fit), "cache and fabric"), 0.15, 2e-3);
  const auto opaque = attribute_to(truth, Copies::opaque);
  EXPECT_NEAR(cause(opaque, "contention"), 0.15, 2e-3);
  EXPECT_THAT(names(opaque), testing::ElementsAre("late launch", "clock", "contention"));
}

TEST(Attribution, ALateStartIsTheLaunchs) {
  Truth truth;
  truth.late_ms = 0.07;
  const auto result = attribute_to(truth);
  EXPECT_NEAR(cause(result, "late launch"), 0.07, 1e-9);
  EXPECT_NEAR(result.loss.lost_ms, 0.07, 1e-3);
  EXPECT_NEAR(result.unexplained_ms, 0, 1e-3);
}

TEST(Attribution, UnitsThatTheGemmGaveUpAreACause) {
  Truth truth;
  truth.units = 1.05;
  const auto result = attribute_to(truth);
  EXPECT_NEAR(cause(result, "fewer units"), 0.05 * 1.5, 1e-3);
  EXPECT_NEAR(result.unexplained_ms, 0, 2e-3);
}

TEST(Attribution, SlackIsWhatTheLastTaskHadInHand) {
  Truth truth;
  truth.comm_ms = 1.52;
  truth.on_chip = 1.1;
  const auto result = attribute_to(truth);
  EXPECT_EQ(result.last, LastTask::gemm);
  EXPECT_NEAR(result.slack_ms, 0.02, 1e-3);
  EXPECT_NEAR(result.loss.lost_ms, 0.15 - 0.02, 2e-3);
  EXPECT_NEAR(cause(result, "cache and fabric"), 0.15, 2e-3);
  EXPECT_GT(explained_share(result), 0.95);
}

TEST(Attribution, TheCollectiveHasCausesOfItsOwn) {
  Truth truth;
  truth.comm_ms = 3;
  truth.comm_power = 1.01;
  truth.comm_on_chip = 1.03;
  truth.comm_memory = 1.02;
  truth.flags_ms = 0.02;
  const auto result = attribute_to(truth);
  EXPECT_EQ(result.last, LastTask::comm);
  EXPECT_NEAR(cause(result, "flags"), 0.02, 1e-3);
  EXPECT_NEAR(cause(result, "power"), 3 * 1.03 * 1.02 * 0.01, 2e-3);
  EXPECT_NEAR(cause(result, "cache and fabric"), 3 * 0.03, 2e-3);
  EXPECT_NEAR(cause(result, "memory"), 3 * 1.03 * 0.02, 2e-3);
  EXPECT_GT(explained_share(result), 0.97);
}

TEST(Attribution, WhatNoRunShowsIsUnexplained) {
  auto probed = FakeMachine({}).probed();
  for (auto& round : probed.series[Probe::together]) {
    for (auto& rank : round) rank.gemm.end_ms += 0.2;
  }
  const auto result = attribute(probed);
  EXPECT_NEAR(result.loss.lost_ms, 0.2, 1e-3);
  EXPECT_NEAR(result.unexplained_ms, 0.2, 1e-3);
  EXPECT_NEAR(explained_share(result), 0, 0.01);
}

TEST(Attribution, CausesThatExplainTooMuchDoNotExplain) {
  Attribution result;
  result.loss.lost_ms = 1;
  result.unexplained_ms = -0.5;
  EXPECT_DOUBLE_EQ(explained_share(result), 0.5);
  result.unexplained_ms = -3;
  EXPECT_DOUBLE_EQ(explained_share(result), 0);
}

TEST(Attribution, WithoutCountersThereIsNoClock) {
  auto probed = FakeMachine({}).probed();
  for (auto& [probe, series] : probed.series) {
    for (auto& round : series) {
      for (auto& rank : round) rank.clock_ghz = 0;
    }
  }
  const auto result = attribute(probed);
  EXPECT_FALSE(result.clocks);
  EXPECT_THAT(result.notes, testing::ElementsAre("no clock counters here"));
  EXPECT_THAT(names(result), testing::Not(testing::Contains("clock")));
}

RC_GTEST_PROP(AttributionProperty, SmallCausesOfAnyMixtureAreFound, ()) {
  const auto upto = [](double most) { return *rc::gen::inRange(0, 1001) / 1000.0 * most; };
  Truth truth;
  truth.together_ghz = truth.alone_ghz * (1 - upto(0.08));
  truth.elasticity = upto(1);
  truth.on_chip = 1 + upto(0.08);
  truth.memory = 1 + upto(0.08);
  truth.late_ms = upto(0.03);
  const auto result = attribute_to(truth);
  // Causes add up but for products of two of them, readings and scatter.
  RC_ASSERT(std::abs(result.unexplained_ms) < 0.12 * result.loss.lost_ms + 0.004);
  RC_ASSERT(std::abs(cause(result, "late launch") - truth.late_ms) < 1e-9);
}

TEST(Loss, IsAgainstTheLongerTaskAndHasASpread) {
  const std::vector<double> gemm{1, 1.1, 1.2};
  const std::vector<double> comm{2, 2, 2};
  const std::vector<double> c3{2.3, 2.5, 2.7};
  const Loss loss = loss_of({gemm, comm, c3, 1});
  EXPECT_NEAR(loss.lost_ms, 0.5, 1e-9);
  EXPECT_NEAR(loss.spread_ms, 0.2, 1e-9);
  EXPECT_FALSE(matters(loss));
  EXPECT_TRUE(matters({0.61, 0.2}));
  EXPECT_FALSE(matters({0.59, 0.2}));
}

TEST(Loss, IsNeverFinerThanTheClock) {
  const std::vector<double> times{1, 1, 1};
  const std::vector<double> c3{1.001, 1.001, 1.001};
  EXPECT_FALSE(matters(loss_of({times, times, c3, 1})));
}

TEST(Loss, OfNoRoundsIsRefused) { EXPECT_THROW((void)loss_of({}), InputError); }

TEST(ClockGhz, IsTheMeanOverUnitsThatWereReadTwice) {
  const std::vector<backend::CycleReading> before{{0, 1000, 100}, {1, 5000, 100}, {2, 1, 100}};
  const std::vector<backend::CycleReading> after{{1, 7000, 1100}, {0, 2000, 1100}, {9, 5, 1100}};
  EXPECT_DOUBLE_EQ(*clock_ghz(before, after), 1.5);
  EXPECT_FALSE(clock_ghz(before, {}));
  EXPECT_FALSE(clock_ghz(after, before)) << "time goes forward";
}

TEST(RankTimes, LanesButTheGemmsAreTheCollectives) {
  plan::RankPlan lanes;
  lanes.lanes.resize(3);
  lanes.lanes[0].label = "comm0";
  lanes.lanes[1].label = c3::kGemmTask;
  lanes.lanes[2].label = "own";
  const auto ms = [](int value) { return Nanoseconds(value * 1'000'000); };
  const std::vector<backend::LaneTimes> times{{ms(2), ms(5)}, {ms(1), ms(9)}, {ms(3), ms(7)}};
  const RankTimes result = rank_times(lanes, times);
  EXPECT_DOUBLE_EQ(result.gemm.start_ms, 1);
  EXPECT_DOUBLE_EQ(result.gemm.end_ms, 9);
  EXPECT_DOUBLE_EQ(result.comm.start_ms, 2);
  EXPECT_DOUBLE_EQ(result.comm.end_ms, 7);
}

TEST(AttributionPrint, JsonHasEveryFieldAndTextTheLine) {
  Truth truth;
  truth.together_ghz = 1.4;
  auto result = attribute_to(truth);
  result.scenario = "s1 all_gather";
  result.strategy = "conccl";
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json.at("last"), "gemm");
  EXPECT_EQ(json.at("rank"), 1);
  EXPECT_DOUBLE_EQ(json.at("lost_ms"), result.loss.lost_ms);
  EXPECT_DOUBLE_EQ(json.at("spread_ms"), result.loss.spread_ms);
  EXPECT_DOUBLE_EQ(json.at("explained"), explained_share(result));
  EXPECT_EQ(json.at("causes").size(), result.causes.size());
  EXPECT_EQ(json.at("causes").at(0).at("name"), "late launch");
  EXPECT_DOUBLE_EQ(json.at("clocks").at("together_ghz"), 1.4);
  EXPECT_TRUE(json.contains("slack_ms") && json.contains("unexplained_ms"));
  const auto text = to_text(result);
  EXPECT_THAT(text, testing::StartsWith("s1 all_gather: conccl: lost 0.10"));
  EXPECT_THAT(text, testing::HasSubstr("the GEMM last, on rank 1"));
  EXPECT_THAT(text, testing::HasSubstr("clock 1.500 -> 1.400 GHz"));
  result.clocks.reset();
  result.notes = {"no clock counters here"};
  EXPECT_TRUE(nlohmann::json::parse(to_json(result)).at("clocks").is_null());
  EXPECT_THAT(to_text(result), testing::HasSubstr("  no clock counters here\n"));
}

TEST(AttributionSummary, CountsWhatIsExplainedAndNamesTheLeast) {
  const auto with_share = [](double share, const char* strategy) {
    Attribution each;
    each.scenario = "s";
    each.strategy = strategy;
    each.loss.lost_ms = 1;
    each.unexplained_ms = 1 - share;
    return each;
  };
  const std::vector<Attribution> list{with_share(0.9, "a"), with_share(0.5, "b"),
                                      with_share(0.81, "c")};
  const auto summary = summarize_attributions(list);
  EXPECT_EQ(summary.count, 3U);
  EXPECT_EQ(summary.explained, 2U);
  EXPECT_NEAR(summary.median_share, 0.81, 1e-9);
  EXPECT_NEAR(summary.least_share, 0.5, 1e-9);
  EXPECT_EQ(to_text(summary),
            "attribution: causes explain at least 80 % of 2 of 3 losses (median 81 %, least 50 %: "
            "s, b)\n");
  EXPECT_EQ(to_text(summarize_attributions({})), "attribution: no loss above 3 times its spread\n");
}

}  // namespace
}  // namespace conccl::bench
