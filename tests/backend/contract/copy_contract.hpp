// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Copies: every size and alignment, and nothing beside them.
#pragma once

#include <array>

#include "tests/backend/contract/backend_contract.hpp"

namespace conccl::backend::contract {

class CopyContract : public BackendContract {
 protected:
  static constexpr Bytes kRoom = 16;

  /// Copies `bytes` between the given misalignments and looks at every byte of the destination.
  void check(Queue& queue, Bytes bytes, Bytes from, Bytes to) {
    SCOPED_TRACE(testing::Message() << bytes << " bytes from +" << from << " to +" << to);
    const Memory source = device().allocate(bytes + kRoom);
    const Memory target = device().allocate(bytes + kRoom);
    const Pattern pattern{1, bytes};
    fill(source, pattern);
    poison(target);
    const auto before = download(target);
    queue.copy(target.at(to), source.at(from), bytes, {});
    finish(queue);
    const auto after = download(target);
    Bytes wrong = 0;
    for (Bytes i = 0; i < after.size(); ++i) {
      const bool inside = i >= to && i < to + bytes;
      const std::uint8_t expected = inside ? byte_of(pattern, i - to + from) : before[i];
      wrong += after[i] == expected ? 0U : 1U;
    }
    EXPECT_EQ(wrong, 0U);
  }
};

TEST_P(CopyContract, EverySizeAndAlignmentOnBothEngines) {
  constexpr std::array<Bytes, 9> kSizes{
      0, 1, 3, 64, 65, 4097, 256 * kKiB - 1, 256 * kKiB + 1, 2 * kMiB + 5};
  for (const auto engine : {plan::Engine::dma, plan::Engine::compute}) {
    const auto copies = queue(engine);
    for (const Bytes bytes : kSizes) {
      check(*copies, bytes, 0, 0);
      check(*copies, bytes, 5, 0);
      check(*copies, bytes, 1, 7);
    }
  }
}

TEST_P(CopyContract, ManyCopiesBetweenTwoFencesAllHappen) {
  constexpr Bytes kBytes = 999;
  constexpr Bytes kCount = 300;
  const Memory source = device().allocate(kBytes * kCount);
  const Memory target = device().allocate(kBytes * kCount);
  fill(source, {4, 2});
  for (const auto engine : {plan::Engine::dma, plan::Engine::compute}) {
    poison(target);
    const auto copies = queue(engine);
    for (Bytes i = 0; i < kCount; ++i) {
      copies->copy(target.at(i * kBytes), source.at(i * kBytes), kBytes, {});
    }
    finish(*copies);
    EXPECT_EQ(compare(target, {4, 2}).mismatches, 0U);
  }
}

TEST_P(CopyContract, BetweenDevices) {
  const auto peer = backend().open_device(1);
  const Memory source = device().allocate(3 * kMiB + 1);
  const Memory target = peer->allocate(3 * kMiB + 1);
  fill(source, {2, 9});
  poison(target);
  const auto copies = queue(plan::Engine::dma);
  copies->copy(target.data(), source.data(), source.bytes(), {});
  finish(*copies);
  EXPECT_EQ(compare(target, {2, 9}).mismatches, 0U);
}

TEST_P(CopyContract, NothingRunsBeforeSubmit) {
  const Memory source = device().allocate(64);
  const Memory target = device().allocate(64);
  fill(source, {1, 1});
  poison(target);
  const auto before = download(target);
  const auto copies = queue(plan::Engine::dma);
  copies->copy(target.data(), source.data(), 64, {});
  ASSERT_TRUE(copies->synchronize(kLimit));
  EXPECT_EQ(download(target), before);
  finish(*copies);
  EXPECT_EQ(compare(target, {1, 1}).mismatches, 0U);
}

}  // namespace conccl::backend::contract
