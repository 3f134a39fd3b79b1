// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <csignal>

#include "backend/threads.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

TEST(SplitCores, AQuarterOfTheCoresIsForDma) {
  EXPECT_THAT(split_cores({0, 1}).dma, ElementsAre(1));
  EXPECT_THAT(split_cores({0, 1}).compute, ElementsAre(0));
  EXPECT_THAT(split_cores({4, 5, 6}).dma, ElementsAre(6));
  EXPECT_THAT(split_cores({0, 8, 1, 9, 2, 10, 3, 11}).dma, ElementsAre(3, 11));
  EXPECT_THAT(split_cores({0, 8, 1, 9, 2, 10, 3, 11}).compute, ElementsAre(0, 8, 1, 9, 2, 10));
}

TEST(SplitCores, OneCoreDoesBoth) {
  EXPECT_THAT(split_cores({7}).dma, ElementsAre(7));
  EXPECT_THAT(split_cores({7}).compute, ElementsAre(7));
  EXPECT_THROW((void)split_cores({}), BrokenInvariant);
}

TEST(Topology, KnowsTheCoresThisProcessMayUse) {
  const Topology topology = probe_topology();
  EXPECT_THAT(topology.cpus, UnorderedElementsAreArray(allowed_cpus()));
  EXPECT_GT(topology.memory, 0U);
  EXPECT_FALSE(topology.cpu_model.empty());
}

TEST(StartThread, StaysOnItsCores) {
  const int cpu = allowed_cpus().back();
  std::vector<int> seen;
  start_thread("pinned", {cpu}, [&seen] {
    while (seen.empty() || seen.size() > 1) seen = allowed_cpus();
  }).join();
  EXPECT_THAT(seen, ElementsAre(cpu));
}

TEST(StartThread, LeavesSignalsToTheCaller) {
  bool blocked = false;
  start_thread("quiet", {}, [&blocked] {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    blocked = sigismember(&mask, SIGINT) == 1;
  }).join();
  EXPECT_TRUE(blocked);
  sigset_t mine;
  pthread_sigmask(SIG_SETMASK, nullptr, &mine);
  EXPECT_EQ(sigismember(&mine, SIGINT), 0);
}

}  // namespace
}  // namespace conccl::backend::host
