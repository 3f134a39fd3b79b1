// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Tasks: GEMM, fill, poison, compare; memory.
#pragma once

#include <gmock/gmock.h>

#include "conccl/core/errors.hpp"
#include "tests/backend/contract/backend_contract.hpp"

namespace conccl::backend::contract {

class TaskContract : public BackendContract {
 protected:
  [[nodiscard]] const GemmOffers& gemms() { return backend().capabilities().gemms; }

  /// `shape` in a type, rounded up to what the backend takes of it.
  [[nodiscard]] GemmSpec spec_of(const GemmShape& shape, GemmType type) {
    const std::int64_t step = gemms().at(type).step;
    const auto rounded = [step](std::int64_t extent) { return (extent + step - 1) / step * step; };
    return {{rounded(shape.m), rounded(shape.n), rounded(shape.k)}, type};
  }

  /// Runs it on the whole device and on both sides of a split; the bits must be the same.
  void expect_same_bits_on_any_share(Gemm& gemm) {
    using Kind = plan::Share::Kind;
    const int step = backend().capabilities().unit_step;
    run(gemm);
    gemm.keep_reference();
    for (const auto share :
         {plan::Share{Kind::all, 0}, {Kind::only, step}, {Kind::all_but, step}}) {
      const auto side = queue(plan::Engine::compute, share);
      gemm.poison_result();
      EXPECT_GT(gemm.mismatches(), 0U);
      side->compute(gemm, {});
      finish(*side);
      EXPECT_EQ(gemm.mismatches(), 0U);
    }
  }
};

TEST_P(TaskContract, FillWritesThePatternAndNothingElse) {
  const Memory memory = device().allocate(3000);
  poison(memory);
  const auto before = download(memory);
  const std::vector<Stretch> stretches{{3, 1001, {1, 2}, 13}, {2001, 500, {7, 2}, 0}};
  run(*device().make_fill(memory.data(), stretches));
  const auto after = download(memory);
  for (Bytes i = 0; i < memory.bytes(); ++i) {
    std::uint8_t expected = before[i];
    if (i >= 3 && i < 1004) expected = byte_of({1, 2}, i - 3 + 13);
    if (i >= 2001 && i < 2501) expected = byte_of({7, 2}, i - 2001);
    ASSERT_EQ(after[i], expected) << "byte " << i;
  }
}

TEST_P(TaskContract, CompareCatchesOneFlippedByteWhereverItIs) {
  constexpr Bytes kBytes = 83;
  const Memory memory = device().allocate(kBytes);
  const std::vector<Stretch> stretches{{2, kBytes - 5, {1, 5}, 3}};
  for (Bytes bad = 0; bad < kBytes; ++bad) {
    run(*device().make_fill(memory.data(), stretches));
    flip_byte(memory, bad);
    const Comparison result = compare(memory, stretches);
    const bool inside = bad >= 2 && bad < kBytes - 3;
    ASSERT_EQ(result.compared, kBytes - 5);
    ASSERT_EQ(result.mismatches, inside ? 1U : 0U) << "byte " << bad;
    if (!inside) continue;
    EXPECT_EQ(result.first_bad, bad);
    EXPECT_EQ(result.expected, byte_of({1, 5}, bad - 2 + 3));
    EXPECT_EQ(result.found, result.expected ^ 0x10);
  }
}

TEST_P(TaskContract, CompareNamesTheSmallestBadOffset) {
  const Memory memory = device().allocate(5 * kMiB + 7);
  fill(memory, {1, 5});
  for (const Bytes bad : {4 * kMiB, 3 * kMiB - 1, 5 * kMiB + 6}) flip_byte(memory, bad);
  const Comparison result = compare(memory, {1, 5});
  EXPECT_EQ(result.compared, memory.bytes());
  EXPECT_EQ(result.mismatches, 3U);
  EXPECT_EQ(result.first_bad, 3 * kMiB - 1);
}

TEST_P(TaskContract, CompareTellsRoundsAndRanksApart) {
  const Memory memory = device().allocate(kMiB);
  fill(memory, {1, 5});
  EXPECT_EQ(compare(memory, {1, 5}).mismatches, 0U);
  EXPECT_GT(compare(memory, {1, 4}).mismatches, kMiB / 2);
  EXPECT_GT(compare(memory, {0, 5}).mismatches, kMiB / 2);
  poison(memory);
  EXPECT_GT(compare(memory, {1, 5}).mismatches, kMiB / 2);
}

TEST_P(TaskContract, ACompareStartsAfreshEachTimeItRuns) {
  const Memory memory = device().allocate(1000);
  fill(memory, {1, 5});
  Comparison result;
  const auto check = device().make_compare(memory.data(), {{0, 1000, {1, 5}, 0}}, result);
  run(*check);
  flip_byte(memory, 10);
  run(*check);
  EXPECT_EQ(result.compared, 1000U);
  EXPECT_EQ(result.mismatches, 1U);
}

TEST_P(TaskContract, TheGemmsBitsDoNotDependOnTheShare) {
  if (gemms().empty()) GTEST_SKIP() << "no GEMM here";
  for (const auto& [type, offer] : gemms()) {
    for (const GemmShape& shape : {GemmShape{1, 1, 1}, {130, 257, 65}, {16, 900, 33}}) {
      const GemmSpec spec = spec_of(shape, type);
      SCOPED_TRACE(to_string(spec));
      const auto gemm = device().make_gemm(spec, 11);
      EXPECT_EQ(gemm->shape(), spec.shape);
      EXPECT_EQ(gemm->type(), offer.runs_as);
      expect_same_bits_on_any_share(*gemm);
    }
  }
}

TEST_P(TaskContract, ZeroOperandsGiveZeroAndTheRandomOnesComeBack) {
  if (gemms().empty()) GTEST_SKIP() << "no GEMM here";
  for (const auto& [type, offer] : gemms()) {
    const GemmSpec spec = spec_of({48, 33, 65}, type);
    SCOPED_TRACE(to_string(spec));
    const auto gemm = device().make_gemm(spec, 3);
    run(*gemm);
    gemm->keep_reference();
    gemm->set_operands(Operands::zero);
    EXPECT_GT(gemm->mismatches(), 0U) << "the result is still that of the random ones";
    gemm->poison_result();
    run(*gemm);
    EXPECT_EQ(gemm->mismatches(), 0U);
    gemm->set_operands(Operands::random);
    EXPECT_GT(gemm->mismatches(), 0U) << "the result is still that of the zeros";
    run(*gemm);
    EXPECT_EQ(gemm->mismatches(), 0U);
  }
}

TEST_P(TaskContract, AGemmThatThereIsNotIsRefusedByName) {
  for (const GemmType type : all_gemm_types()) {
    const auto offer = gemms().find(type);
    const bool odd = offer != gemms().end() && offer->second.step > 1;
    const GemmSpec spec{{odd ? offer->second.step + 1 : 16, 16, 16}, type};
    const auto reason = why_no_gemm(gemms(), spec);
    ASSERT_EQ(reason.has_value(), odd || offer == gemms().end()) << to_string(spec);
    if (!reason) continue;
    EXPECT_THAT(*reason, testing::HasSubstr(to_string(spec)));
    EXPECT_THROW((void)device().make_gemm(spec, 1), Unavailable) << to_string(spec);
  }
}

TEST_P(TaskContract, CycleCountersGoForwardOrAreRefusedByName) {
  std::vector<CycleReading> first;
  std::vector<CycleReading> second;
  if (!backend().capabilities().cycle_counters) {
    EXPECT_THROW((void)device().make_cycle_reading(first), Unavailable);
    return;
  }
  const auto before = device().make_cycle_reading(first);
  const auto after = device().make_cycle_reading(second);
  for (int round = 0; round < 2; ++round) {
    run(*before);
    run(*after);
    const auto units = static_cast<std::size_t>(backend().capabilities().compute_units);
    ASSERT_GT(first.size(), units / 2);
    ASSERT_LE(first.size(), units);
    for (const auto& early : first) {
      for (const auto& late : second) {
        EXPECT_GT(late.nanoseconds, early.nanoseconds);
        if (late.unit != early.unit) continue;
        EXPECT_GT(late.cycles, early.cycles);
      }
    }
  }
}

TEST_P(TaskContract, OtherSeedsGiveOtherProducts) {
  if (gemms().empty()) GTEST_SKIP() << "no GEMM here";
  const auto same = device().make_gemm({32, 32, 32}, 1);
  run(*same);
  same->keep_reference();
  run(*same);
  EXPECT_EQ(same->mismatches(), 0U);
  EXPECT_FALSE(same->algorithm().empty());
}

TEST_P(TaskContract, MemoryThatIsNotThereIsNamed) {
  for (const Bytes bytes : {Bytes{1} << 62, ~Bytes{0}}) {
    try {
      (void)device().allocate(bytes);
      FAIL() << "allocated " << bytes;
    } catch (const RunError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(bytes)));
    }
  }
  EXPECT_THROW((void)device().make_gemm({1 << 30, 1 << 30, 1 << 30}, 1), Error);
}

TEST_P(TaskContract, AnAllocationKnowsItsEnd) {
  const Memory memory = device().allocate(100);
  EXPECT_EQ(device().bytes_behind(memory.data()), 100U);
  EXPECT_EQ(device().bytes_behind(memory.at(99)), 1U);
  EXPECT_EQ(device().bytes_behind(memory.at(100)), std::nullopt);
  int elsewhere = 0;
  EXPECT_EQ(device().bytes_behind(&elsewhere), std::nullopt);
}

TEST_P(TaskContract, DimensionsOfAGemmArePositive) {
  if (gemms().empty()) GTEST_SKIP() << "no GEMM here";
  EXPECT_THROW((void)device().make_gemm({0, 16, 16}, 1), InputError);
  EXPECT_THROW((void)device().make_gemm({16, -1, 16}, 1), InputError);
}

}  // namespace conccl::backend::contract
