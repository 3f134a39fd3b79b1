// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <stdexcept>
#include <string>

namespace conccl::backend::host {
namespace {

using testing::ElementsAre;

/// Which pieces ran, in order.
class Journal {
 public:
  void note(std::string entry) {
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(entry));
  }
  [[nodiscard]] std::vector<std::string> entries() const { return entries_; }

 private:
  std::mutex mutex_;
  std::vector<std::string> entries_;
};

/// Pieces that note themselves.
class NotedWork : public Work {
 public:
  NotedWork(std::string name, std::size_t pieces, Journal& journal)
      : name_(std::move(name)), pieces_(pieces), journal_(journal) {}

  [[nodiscard]] std::size_t pieces() const override { return pieces_; }
  void run(std::size_t piece) override { journal_.note(name_ + std::to_string(piece)); }
  [[nodiscard]] Origin origin(std::size_t) const override { return {}; }
  [[nodiscard]] Bytes bytes(std::size_t) const override { return 0; }

 private:
  std::string name_;
  std::size_t pieces_;
  Journal& journal_;
};

/// Keeps a unit busy until it is let go.
class Blocker : public NotedWork {
 public:
  explicit Blocker(Journal& journal) : NotedWork("blocker", 1, journal) {}
  void run(std::size_t piece) override {
    NotedWork::run(piece);
    running_.count_down();
    let_go_.wait();
  }
  void await_running() { running_.wait(); }
  void let_go() { let_go_.count_down(); }

 private:
  std::latch running_{1};
  std::latch let_go_{1};
};

struct Submission {
  Work& work;
  plan::Priority priority = plan::Priority::normal;
};

/// Queues the works, in order, behind a busy unit, then frees the unit. One unit.
void run_behind_blocker(PoolOrder order, Journal& journal, const std::vector<Submission>& list) {
  Pool pool({"test", {{}}, order});
  Blocker blocker(journal);
  std::vector<std::thread> threads;
  threads.emplace_back([&] { pool.run(blocker, {0, 1, plan::Priority::normal}, nullptr); });
  blocker.await_running();
  for (std::size_t i = 0; i < list.size(); ++i) {
    threads.emplace_back(
        [&pool, &one = list[i]] { pool.run(one.work, {0, 1, one.priority}, nullptr); });
    while (pool.waiting() <= i) std::this_thread::yield();
  }
  blocker.let_go();
  for (std::thread& thread : threads) thread.join();
}

TEST(Pool, FifoStartsAllPiecesOfTheEarlierEntryFirst) {
  Journal journal;
  NotedWork a("a", 3, journal);
  NotedWork b("b", 2, journal);
  run_behind_blocker(PoolOrder::fifo, journal, {{a}, {b}});
  EXPECT_THAT(journal.entries(), ElementsAre("blocker0", "a0", "a1", "a2", "b0", "b1"));
}

TEST(Pool, RoundRobinTakesTurns) {
  Journal journal;
  NotedWork a("a", 3, journal);
  NotedWork b("b", 2, journal);
  NotedWork c("c", 1, journal);
  run_behind_blocker(PoolOrder::round_robin, journal, {{a}, {b}, {c}});
  EXPECT_THAT(journal.entries(), ElementsAre("blocker0", "a0", "b0", "c0", "a1", "b1", "a2"));
}

TEST(Pool, HighPriorityPiecesStartBeforeNormalOnesQueuedEarlier) {
  Journal journal;
  NotedWork tiles("tile", 3, journal);
  NotedWork chunks("chunk", 2, journal);
  run_behind_blocker(PoolOrder::fifo, journal, {{tiles}, {chunks, plan::Priority::high}});
  EXPECT_THAT(journal.entries(),
              ElementsAre("blocker0", "chunk0", "chunk1", "tile0", "tile1", "tile2"));
}

TEST(Pool, AnEntryThatMayNotRunHereDoesNotHoldUpTheNext) {
  Journal journal;
  Pool pool({"test", {{}, {}}, PoolOrder::fifo});
  Blocker blocker(journal);
  NotedWork stuck("stuck", 1, journal);
  NotedWork free("free", 2, journal);
  std::thread holder([&] { pool.run(blocker, {0, 1, plan::Priority::normal}, nullptr); });
  blocker.await_running();
  std::thread waiter([&] { pool.run(stuck, {0, 1, plan::Priority::normal}, nullptr); });
  while (pool.waiting() < 1) std::this_thread::yield();
  pool.run(free, {0, 2, plan::Priority::normal}, nullptr);
  EXPECT_THAT(journal.entries(), ElementsAre("blocker0", "free0", "free1"));
  blocker.let_go();
  holder.join();
  waiter.join();
}

TEST(Pool, PiecesRunOnlyOnTheUnitsOfTheirPlacement) {
  Journal journal;
  Pool pool({"test", {{}, {}, {}, {}}, PoolOrder::fifo});
  SpanLog log(0, 4);
  const std::string lane = "lane";
  const SpanSink sink{log.units(plan::Engine::compute), &lane};
  NotedWork work("w", 200, journal);
  pool.run(work, {1, 3, plan::Priority::normal}, &sink);
  std::set<std::string> units;
  const plan::Timeline timeline = log.take();
  for (const plan::Span& span : timeline.spans) units.insert(span.unit);
  EXPECT_EQ(timeline.spans.size(), 200U);
  EXPECT_THAT(units, testing::IsSubsetOf({"compute1", "compute2"}));
}

/// Counts its events; the pieces in `failing` throw.
class EventfulWork : public Work {
 public:
  explicit EventfulWork(std::size_t pieces, std::set<std::size_t> failing = {})
      : pieces_(pieces), failing_(std::move(failing)) {}

  [[nodiscard]] std::size_t pieces() const override { return pieces_; }
  void run(std::size_t piece) override {
    ++ran;
    if (failing_.contains(piece)) throw std::runtime_error("piece " + std::to_string(piece));
  }
  void started() override { ++starts; }
  void finished() override { ran_at_finish = ran.load(); }
  [[nodiscard]] Origin origin(std::size_t) const override { return {}; }
  [[nodiscard]] Bytes bytes(std::size_t) const override { return 0; }

  std::atomic<std::size_t> ran{0};
  std::atomic<int> starts{0};
  std::size_t ran_at_finish = 1000;

 private:
  std::size_t pieces_;
  std::set<std::size_t> failing_;
};

TEST(Pool, StartedComesOnceAndFinishedAfterTheLastPiece) {
  Pool pool({"test", {{}, {}, {}}, PoolOrder::fifo});
  for (const std::size_t pieces : {0U, 1U, 2U, 50U}) {
    EventfulWork work(pieces);
    pool.run(work, {0, 3, plan::Priority::normal}, nullptr);
    EXPECT_EQ(work.starts, 1);
    EXPECT_EQ(work.ran_at_finish, pieces);
  }
}

TEST(Pool, AFailingPieceIsRethrownOnceAllHaveRun) {
  Pool pool({"test", {{}, {}}, PoolOrder::round_robin});
  EventfulWork work(10, {4});
  try {
    pool.run(work, {0, 2, plan::Priority::normal}, nullptr);
    FAIL() << "no error came through";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "piece 4");
  }
  EXPECT_EQ(work.ran_at_finish, 10U);
  EventfulWork next(3);
  pool.run(next, {0, 2, plan::Priority::normal}, nullptr);
  EXPECT_EQ(next.ran, 3U);
}

TEST(Pool, ManyThreadsMayRunAtOnce) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 200;
  for (const auto order : {PoolOrder::fifo, PoolOrder::round_robin}) {
    Pool pool({"test", {{}, {}, {}}, order});
    std::atomic<std::size_t> total{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&pool, &total, i] {
        for (int round = 0; round < kRounds; ++round) {
          EventfulWork work(static_cast<std::size_t>(i));
          pool.run(work, {i % 3, 3, plan::Priority::normal}, nullptr);
          total += work.ran;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(total, std::size_t{kRounds} * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7));
    EXPECT_EQ(pool.waiting(), 0U);
  }
}

}  // namespace
}  // namespace conccl::backend::host
