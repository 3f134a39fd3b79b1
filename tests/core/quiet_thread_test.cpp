// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/quiet_thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>

#include "conccl/core/random_id.hpp"

namespace conccl {
namespace {

bool takes_interrupts() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, SIGINT) == 0;
}

TEST(QuietThread, TakesNoSignalsAndLeavesTheCallersMaskAsItWas) {
  ASSERT_TRUE(takes_interrupts());
  bool taken = true;
  start_quiet_thread("longer than a name may be", [&] { taken = takes_interrupts(); }).join();
  EXPECT_FALSE(taken);
  EXPECT_TRUE(takes_interrupts());
}

TEST(RandomId, IsAnotherOneEveryTime) {
  EXPECT_NE(random_id(), random_id());
  EXPECT_NE(random_id(), decltype(random_id()){});
}

}  // namespace
}  // namespace conccl
