// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/captured_flags.hpp"

#include <gtest/gtest.h>

#include "conccl/backend/host.hpp"

namespace conccl::comm {
namespace {

class CapturedFlagsTest : public testing::Test {
 protected:
  CapturedFlagsTest()
      : backend_(backend::open_host()),
        device_(backend_->open_device(0)),
        block_(device_->make_flags(flags_.flags_per_block())) {}

  CapturedFlags& flags() { return flags_; }
  backend::FlagBlock& block() { return *block_; }

 private:
  std::unique_ptr<backend::Backend> backend_;
  std::unique_ptr<backend::Device> device_;
  CapturedFlags flags_{4};
  std::unique_ptr<backend::FlagBlock> block_;
};

TEST_F(CapturedFlagsTest, ABlockGivesAsManySetsAsItHolds) {
  EXPECT_TRUE(flags().empty());
  flags().add(block());
  std::vector<bool> taken(CapturedFlags::kSetsPerBlock, false);
  for (int set = 0; set < CapturedFlags::kSetsPerBlock; ++set) {
    ASSERT_FALSE(flags().empty());
    const FlagSet found = flags().take();
    ASSERT_EQ(found.block, &block());
    ASSERT_EQ(found.first % 4, 0);
    const auto number = static_cast<std::size_t>(found.first / 4);
    ASSERT_FALSE(taken.at(number));
    taken[number] = true;
  }
  EXPECT_TRUE(flags().empty());
}

TEST_F(CapturedFlagsTest, ASetServesAgainWhenItsLeaseIsGone) {
  flags().add(block());
  std::vector<std::shared_ptr<void>> leases;
  while (!flags().empty()) leases.push_back(flags().lease(flags().take(), {}));
  EXPECT_EQ(flags().leased(), CapturedFlags::kSetsPerBlock);
  leases.pop_back();
  EXPECT_EQ(flags().leased(), CapturedFlags::kSetsPerBlock - 1);
  ASSERT_FALSE(flags().empty());
  static_cast<void>(flags().take());
  EXPECT_TRUE(flags().empty());
}

TEST_F(CapturedFlagsTest, ASetThatWasLeftRaisedDoesNotServeAgain) {
  flags().add(block());
  for (int set = 1; set < CapturedFlags::kSetsPerBlock; ++set) static_cast<void>(flags().take());
  const FlagSet last = flags().take();
  {
    const auto lease = flags().lease(last, {});
    block().raise(last.first + 3, 1);
  }
  EXPECT_TRUE(flags().empty());
}

TEST_F(CapturedFlagsTest, WhatALeaseKeptGoesWithALaterCall) {
  flags().add(block());
  const auto memory = std::make_shared<int>(1);
  auto lease = flags().lease(flags().take(), {memory});
  EXPECT_EQ(memory.use_count(), 2);
  lease.reset();
  EXPECT_EQ(memory.use_count(), 2);
  flags().tidy();
  EXPECT_EQ(memory.use_count(), 1);
}

}  // namespace
}  // namespace conccl::comm
