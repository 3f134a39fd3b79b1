// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Communicators: how they come to be, what they say of themselves, how they end.

#include <algorithm>
#include <climits>

#include "tests/capi/support.hpp"

namespace conccl::test {
namespace {

using testing::Each;
using testing::HasSubstr;

int rank_of(concclComm_t comm) {
  int rank = -1;
  EXPECT_OK(concclCommUserRank(comm, &rank));
  return rank;
}

int count_of(concclComm_t comm) {
  int count = -1;
  EXPECT_OK(concclCommCount(comm, &count));
  return count;
}

void destroy_all(const std::vector<concclComm_t>& comms) {
  for (auto* comm : comms) EXPECT_OK(concclCommDestroy(comm));
}

TEST(CInit, AllRanksOfOneProcess) {
  std::vector<concclComm_t> comms(3);
  ASSERT_OK(concclCommInitAll(comms.data(), 3, nullptr));
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(rank_of(comms[at(rank)]), rank);
    EXPECT_EQ(count_of(comms[at(rank)]), 3);
    int device = -1;
    EXPECT_OK(concclCommDevice(comms[at(rank)], &device));
    EXPECT_EQ(device, rank);
    EXPECT_EQ(async_error(comms[at(rank)]), concclSuccess);
  }
  destroy_all(comms);
}

TEST(CInit, DevicesInTheOrderOfTheList) {
  const std::vector<int> devices = {4, 0, 2};
  std::vector<concclComm_t> comms(3);
  ASSERT_OK(concclCommInitAll(comms.data(), 3, devices.data()));
  for (std::size_t rank = 0; rank < 3; ++rank) {
    int device = -1;
    EXPECT_OK(concclCommDevice(comms[rank], &device));
    EXPECT_EQ(device, devices[rank]);
  }
  destroy_all(comms);
}

TEST(CInit, AllRefusesWhatCannotBe) {
  concclComm_t comms[4] = {};
  expect_refused(concclCommInitAll(nullptr, 2, nullptr), concclInvalidArgument, "comms is NULL");
  for (const int count : {0, -1, INT_MIN, INT_MAX}) {
    expect_refused(concclCommInitAll(comms, count, nullptr), concclInvalidArgument, "ndev");
  }
  const int twice[] = {1, 1};
  expect_refused(concclCommInitAll(comms, 2, twice), concclInvalidArgument, "device 1 appears");
  const int none[] = {0, -3};
  EXPECT_EQ(concclCommInitAll(comms, 2, none), concclInvalidArgument);
  const int beyond[] = {0, INT_MAX};
  EXPECT_EQ(concclCommInitAll(comms, 2, beyond), concclInvalidArgument);
  EXPECT_THAT(comms, Each(nullptr));
}

TEST(CInit, RanksOnThreads) {
  concclUniqueId id;
  ASSERT_OK(concclGetUniqueId(&id));
  std::vector<concclComm_t> comms(4);
  EXPECT_THAT(
      on_each_rank(4, [&](int rank) { return concclCommInitRank(&comms[at(rank)], 4, id, rank); }),
      Each(concclSuccess));
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(rank_of(comms[at(rank)]), rank);
  destroy_all(comms);
}

TEST(CInit, RanksInAGroupOfOneThread) {
  concclUniqueId id;
  ASSERT_OK(concclGetUniqueId(&id));
  std::vector<concclComm_t> comms(4);
  ASSERT_OK(concclGroupStart());
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_OK(concclCommInitRank(&comms[at(rank)], 4, id, rank));
  }
  EXPECT_THAT(comms, Each(nullptr)) << "filled by the group's end";
  ASSERT_OK(concclGroupEnd());
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(rank_of(comms[at(rank)]), rank);
  destroy_all(comms);
}

TEST(CInit, TwoCommunicatorsInOneGroup) {
  concclUniqueId first;
  concclUniqueId second;
  ASSERT_OK(concclGetUniqueId(&first));
  ASSERT_OK(concclGetUniqueId(&second));
  std::vector<concclComm_t> comms(5);
  ASSERT_OK(concclGroupStart());
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_OK(concclCommInitRank(&comms[at(rank)], 2, first, rank));
  }
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_OK(concclCommInitRank(&comms[at(2 + rank)], 3, second, rank));
  }
  ASSERT_OK(concclGroupEnd());
  EXPECT_EQ(count_of(comms[1]), 2);
  EXPECT_EQ(count_of(comms[4]), 3);
  destroy_all(comms);
}

TEST(CInit, RankRefusesWhatCannotBe) {
  concclUniqueId id;
  ASSERT_OK(concclGetUniqueId(&id));
  concclComm_t comm = nullptr;
  expect_refused(concclCommInitRank(nullptr, 1, id, 0), concclInvalidArgument, "comm is NULL");
  for (const int ranks : {0, -1, INT_MIN, INT_MAX}) {
    expect_refused(concclCommInitRank(&comm, ranks, id, 0), concclInvalidArgument, "nranks");
  }
  expect_refused(concclCommInitRank(&comm, 300, id, 0), concclInvalidArgument, "1 .. 256");
  for (const int rank : {-1, 2, INT_MIN, INT_MAX}) {
    expect_refused(concclCommInitRank(&comm, 2, id, rank), concclInvalidArgument, "rank");
  }
  EXPECT_EQ(comm, nullptr);
  expect_refused(concclGetUniqueId(nullptr), concclInvalidArgument, "id is NULL");
}

TEST(CInit, AnIdThatIsNone) {
  concclUniqueId id = {};
  concclComm_t comm = nullptr;
  const auto config = with_deadline(200);
  const auto result = concclCommInitRankConfig(&comm, 1, id, 0, &config);
  EXPECT_THAT(result, testing::AnyOf(concclInvalidArgument, concclRemoteError)) << last_error();
  EXPECT_THAT(last_error(), testing::Not(testing::IsEmpty()));
  EXPECT_EQ(comm, nullptr);
}

TEST(CInit, MissingRankIsNamedAndTheGroupUndone) {
  const auto config = with_deadline(1000);
  concclUniqueId id;
  ASSERT_OK(concclGetUniqueIdConfig(&id, &config));
  std::vector<concclComm_t> comms(2);
  ASSERT_OK(concclGroupStart());
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_OK(concclCommInitRankConfig(&comms[at(rank)], 3, id, rank, &config));
  }
  expect_refused(concclGroupEnd(), concclRemoteError, "rank 2 of 3 did not come");
  EXPECT_THAT(comms, Each(nullptr));
}

TEST(CInit, DestroyedTwice) {
  concclComm_t comm = nullptr;
  ASSERT_OK(concclCommInitAll(&comm, 1, nullptr));
  EXPECT_OK(concclCommDestroy(comm));
  expect_refused(concclCommDestroy(comm), concclInvalidArgument, "is not alive");
}

TEST(CInit, HandlesAreNeverUsedAgain) {
  std::vector<concclComm_t> seen;
  for (int i = 0; i < 20; ++i) {
    concclComm_t comm = nullptr;
    ASSERT_OK(concclCommInitAll(&comm, 1, nullptr));
    EXPECT_THAT(seen, testing::Not(testing::Contains(comm)));
    seen.push_back(comm);
    ASSERT_OK(concclCommDestroy(comm));
  }
}

}  // namespace
}  // namespace conccl::test
