// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/free_ranges.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

TEST(FreeRanges, NeighboursAreJoined) {
  FreeRanges ranges(300);
  EXPECT_EQ(ranges.take(100, 1), 0U);
  EXPECT_EQ(ranges.take(100, 1), 100U);
  EXPECT_EQ(ranges.take(100, 1), 200U);
  EXPECT_EQ(ranges.take(1, 1), std::nullopt);
  ranges.give_back(0, 100);
  ranges.give_back(200, 100);
  EXPECT_EQ(ranges.take(200, 1), std::nullopt);
  ranges.give_back(100, 100);
  EXPECT_EQ(ranges.take(300, 1), 0U);
}

TEST(FreeRanges, TheGapBeforeAnAlignedPlaceStaysFree) {
  FreeRanges ranges(256);
  EXPECT_EQ(ranges.take(10, 64), 0U);
  EXPECT_EQ(ranges.take(10, 64), 64U);
  EXPECT_EQ(ranges.take(54, 1), 10U);
  EXPECT_EQ(ranges.take(129, 64), std::nullopt);
  EXPECT_EQ(ranges.take(128, 64), 128U);
}

TEST(FreeRanges, GivingBackTwiceIsNoticed) {
  FreeRanges ranges(256);
  const Bytes offset = ranges.take(64, 64).value();
  (void)ranges.take(64, 64);
  ranges.give_back(offset, 64);
  EXPECT_THROW(ranges.give_back(offset, 64), BrokenInvariant);
}

RC_GTEST_PROP(FreeRanges, AByteIsTakenOnceAndEveryByteComesBack, ()) {
  constexpr Bytes kBytes = 512;
  FreeRanges ranges(kBytes);
  std::vector<bool> used(kBytes, false);
  std::vector<std::pair<Bytes, Bytes>> taken;
  for (const bool take : *rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>())) {
    if (take) {
      const Bytes bytes = *rc::gen::inRange<Bytes>(1, 100);
      const Bytes alignment = Bytes{1} << *rc::gen::inRange(0, 7);
      const auto offset = ranges.take(bytes, alignment);
      if (!offset) continue;
      RC_ASSERT(*offset % alignment == 0);
      RC_ASSERT(*offset + bytes <= kBytes);
      for (Bytes i = *offset; i < *offset + bytes; ++i) {
        RC_ASSERT(!used[i]);
        used[i] = true;
      }
      taken.emplace_back(*offset, bytes);
    } else if (!taken.empty()) {
      const auto which = *rc::gen::inRange<std::size_t>(0, taken.size());
      const auto [offset, bytes] = taken[which];
      ranges.give_back(offset, bytes);
      for (Bytes i = offset; i < offset + bytes; ++i) used[i] = false;
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  for (const auto& [offset, bytes] : taken) ranges.give_back(offset, bytes);
  RC_ASSERT(ranges.take(kBytes, 1) == std::optional<Bytes>(0));
}

}  // namespace
}  // namespace conccl::backend::host
