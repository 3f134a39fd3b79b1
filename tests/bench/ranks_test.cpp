// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What ranks agree on, where one thread drives all of them and where each has its own.

#include "bench/ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "conccl/backend/registry.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

using Wish = Ranks::Wish;

/// One rank with a backend of its own, as its process would have it.
void run_rank(const comm::Place& place, const comm::UniqueId& id,
              const std::function<void(Ranks&)>& work) {
  const auto backend = backend::open("host");
  comm::Options options;
  options.deadline = std::chrono::seconds(20);
  Ranks ranks(*backend, place, id, options);
  work(ranks);
}

/// Runs `work` on every rank, each on a thread of its own.
void run_apart(int count, const std::function<void(Ranks&)>& work) {
  const auto id = comm::make_unique_id();
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] { run_rank({rank, count, rank}, id, work); });
  }
}

/// Larger than what one exchange carries, and no whole multiple of it.
struct Large {
  std::array<std::uint32_t, 301> words{};
};
static_assert(sizeof(Large) > 2 * comm::Communicator::kMaxExchange);

Large large_of(int rank) {
  Large large;
  for (std::size_t i = 0; i < large.words.size(); ++i) {
    large.words[i] = static_cast<std::uint32_t>(rank) * 1000 + static_cast<std::uint32_t>(i);
  }
  return large;
}

TEST(Ranks, AllHereHaveEveryRankAndGatherIsTheIdentity) {
  const auto backend = backend::open("host");
  Ranks ranks(*backend, 3, {});
  EXPECT_EQ(ranks.size(), 3);
  EXPECT_EQ(ranks.local_count(), 3U);
  EXPECT_TRUE(ranks.leads());
  EXPECT_EQ(ranks.rank_of(2), 2);
  EXPECT_THAT(ranks.gather(std::vector{5, 6, 7}), testing::ElementsAre(5, 6, 7));
  EXPECT_EQ(ranks.meet(Wish::go_on), Wish::go_on);
  EXPECT_EQ(ranks.meet(Wish::stop), Wish::stop);
}

TEST(Ranks, ApartGatherByRank) {
  run_apart(4, [](Ranks& ranks) {
    EXPECT_EQ(ranks.size(), 4);
    ASSERT_EQ(ranks.local_count(), 1U);
    const int rank = ranks.rank_of(0);
    EXPECT_EQ(ranks.leads(), rank == 0);
    for (int round = 0; round < 20; ++round) {
      EXPECT_THAT(
          ranks.gather(std::vector{100 * round + rank}),
          testing::ElementsAre(100 * round, 100 * round + 1, 100 * round + 2, 100 * round + 3));
    }
  });
}

TEST(Ranks, ApartGatherFactsLargerThanAnExchange) {
  run_apart(3, [](Ranks& ranks) {
    const auto all = ranks.gather(std::vector{large_of(ranks.rank_of(0))});
    ASSERT_EQ(all.size(), 3U);
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(all[static_cast<std::size_t>(rank)].words, large_of(rank).words);
    }
  });
}

TEST(Ranks, ApartOneWishToStopStopsAll) {
  run_apart(3, [](Ranks& ranks) {
    EXPECT_EQ(ranks.meet(Wish::go_on), Wish::go_on);
    EXPECT_EQ(ranks.meet(ranks.rank_of(0) == 1 ? Wish::stop : Wish::go_on), Wish::stop);
    EXPECT_EQ(ranks.meet(Wish::go_on), Wish::go_on);
  });
}

TEST(Ranks, ApartFlagsAreSeenByAll) {
  run_apart(3, [](Ranks& ranks) {
    const auto flags = ranks.shared_flags(2);
    ASSERT_EQ(flags.size(), 3U);
    const auto own = static_cast<std::size_t>(ranks.rank_of(0));
    flags[own]->raise(1, own + 5);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(flags[rank]->wait(1, rank + 5, std::chrono::seconds(10)),
                backend::WaitResult::raised);
    }
    // Nobody leaves with its flags before all have looked.
    EXPECT_EQ(ranks.meet(Wish::go_on), Wish::go_on);
  });
}

TEST(Ranks, ApartTheOthersLearnWhyARankFailed) {
  run_apart(3, [](Ranks& ranks) {
    const int rank = ranks.rank_of(0);
    const auto work = [&] {
      if (rank == 2) throw RunError("its disk is full");
      static_cast<void>(ranks.meet(Wish::go_on));
    };
    try {
      ranks.run_together(work);
      ADD_FAILURE() << "rank " << rank << " did not notice";
    } catch (const RunError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("its disk is full"));
      if (rank != 2) {
        EXPECT_THAT(error.what(), testing::HasSubstr("rank 2"));
      }
    }
  });
}

TEST(Ranks, WhatAllThrowTogetherPoisonsNothing) {
  run_apart(2, [](Ranks& ranks) {
    EXPECT_THROW(ranks.run_together([] { throw CheckFailed("wrong byte"); }), CheckFailed);
    EXPECT_THROW(ranks.run_together([] { throw Interrupted("interrupted"); }), Interrupted);
    EXPECT_EQ(ranks.meet(Wish::go_on), Wish::go_on);
  });
}

TEST(Launch, NamesAndBack) {
  for (const auto launch : {Launch::threads, Launch::processes}) {
    EXPECT_EQ(parse_launch(name_of(launch)), launch);
  }
  EXPECT_THROW(static_cast<void>(parse_launch("fibres")), InputError);
}

}  // namespace
}  // namespace conccl::bench
