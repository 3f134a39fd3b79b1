// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/threaded/threaded_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <latch>
#include <stdexcept>
#include <thread>

#include "backend/host/launcher.hpp"
#include "tests/backend/host/support.hpp"

namespace conccl::backend::host {
namespace {

using threaded::ComputeOp;
using threaded::FrontEnd;
using threaded::Program;
using threaded::SignalOp;
using threaded::ThreadedQueue;
using threaded::TimestampOp;
using threaded::WaitOp;

constexpr std::chrono::seconds kLimit{60};

class HostQueueTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<threaded::Launcher> launcher() {
    const Route route{&pool_, {0, 2, plan::Priority::normal}, log_.units(plan::Engine::compute)};
    return std::make_unique<HostLauncher>(Target{"test", route, route, &log_});
  }
  [[nodiscard]] threaded::QueueSetup setup() { return {"test", launcher(), {}, this}; }

  SpanLog log_{0, 2};
  Pool pool_{{"test", {{}, {}}, PoolOrder::fifo}};
  HostFlags flags_{flag_memory(2), 2, this};
};

class FailingTask : public Task, public Tiled {
 public:
  [[nodiscard]] std::size_t tiles() const override { return 3; }
  void run_tile(std::size_t tile) override {
    if (tile == 1) throw std::runtime_error("tile 1 failed");
  }
};

/// Keeps both units busy until it is let go.
class BlockingTask : public Task, public Tiled {
 public:
  [[nodiscard]] std::size_t tiles() const override { return 2; }
  void run_tile(std::size_t) override {
    running_.count_down();
    let_go_.wait();
  }
  void await_running() { running_.wait(); }
  void let_go() { let_go_.count_down(); }

 private:
  std::latch running_{2};
  std::latch let_go_{1};
};

TEST_F(HostQueueTest, AnOwnSignalBeforeWorkWaitsUntilAUnitStartsIt) {
  ThreadedQueue busy(setup());
  ThreadedQueue queue(setup());
  BlockingTask blocker;
  busy.compute(blocker, {});
  busy.submit();
  blocker.await_running();
  std::array<char, 2> bytes{'x', 'y'};
  queue.signal({&flags_, 0}, 1);
  queue.signal({&flags_, 1}, 1);
  queue.copy(bytes.data(), &bytes[1], 1, {});
  queue.submit();
  while (pool_.waiting() == 0) std::this_thread::yield();
  EXPECT_EQ(flags_.value(0), 1U) << "not directly before the work";
  EXPECT_EQ(flags_.value(1), 0U) << "raised before the work started";
  blocker.let_go();
  ASSERT_TRUE(queue.synchronize(kLimit));
  ASSERT_TRUE(busy.synchronize(kLimit));
  EXPECT_EQ(flags_.value(1), 1U);
}

TEST_F(HostQueueTest, ASignalOfAnotherDevicesFlagIsNotHeldBack) {
  HostFlags foreign(flag_memory(1), 1, nullptr);
  ThreadedQueue busy(setup());
  ThreadedQueue queue(setup());
  BlockingTask blocker;
  busy.compute(blocker, {});
  busy.submit();
  blocker.await_running();
  std::array<char, 2> bytes{'x', 'y'};
  queue.signal({&foreign, 0}, 1);
  queue.copy(bytes.data(), &bytes[1], 1, {});
  queue.submit();
  EXPECT_EQ(foreign.wait(0, 1, kLimit), WaitResult::raised);
  blocker.let_go();
  ASSERT_TRUE(queue.synchronize(kLimit));
  ASSERT_TRUE(busy.synchronize(kLimit));
}

TEST_F(HostQueueTest, ATasksErrorReachesSynchronizeOnceAndSignalsStillHappen) {
  ThreadedQueue queue(setup());
  FailingTask task;
  queue.compute(task, {});
  queue.signal({&flags_, 0}, 1);
  queue.submit();
  EXPECT_THROW((void)queue.synchronize(kLimit), std::runtime_error);
  EXPECT_TRUE(queue.synchronize(kLimit));
  EXPECT_EQ(flags_.value(0), 1U);
}

TEST_F(HostQueueTest, AnErrorInAPrefixedTaskDoesNotRepeatItsNeighbours) {
  FrontEnd front(launcher());
  FailingTask task;
  std::array<Timestamp, 2> stamps{};
  std::array<char, 2> bytes{'x', 'y'};
  const Program program{SignalOp{{&flags_, 0}, 1, true}, ComputeOp{&task, {}},
                        TimestampOp{stamps.data()},
                        CopyOp{reinterpret_cast<std::byte*>(bytes.data()),
                               reinterpret_cast<const std::byte*>(bytes.data() + 1),
                               1,
                               {}}};
  EXPECT_NE(front.run(program), nullptr);
  EXPECT_EQ(flags_.value(0), 1U);
  EXPECT_GT(stamps[0].count(), 0);
  EXPECT_EQ(bytes[0], 'y');
}

TEST_F(HostQueueTest, AbandonedWaitsDropWhatIsBehindThem) {
  FrontEnd front(launcher());
  front.abandon_waits(std::chrono::nanoseconds(0));
  std::array<char, 2> bytes{'x', 'y'};
  const Program program{WaitOp{{&flags_, 0}, 1},
                        CopyOp{reinterpret_cast<std::byte*>(bytes.data()),
                               reinterpret_cast<const std::byte*>(bytes.data() + 1),
                               1,
                               {}},
                        SignalOp{{&flags_, 1}, 1, false}};
  EXPECT_EQ(front.run(program), nullptr);
  EXPECT_EQ(bytes[0], 'x');
  EXPECT_EQ(flags_.value(1), 0U);
}

TEST_F(HostQueueTest, DestructionRunsWhatWasSubmittedAndDropsWhatWasNot) {
  {
    ThreadedQueue queue(setup());
    queue.signal({&flags_, 0}, 1);
    queue.submit();
    queue.signal({&flags_, 1}, 1);
  }
  EXPECT_EQ(flags_.value(0), 1U);
  EXPECT_EQ(flags_.value(1), 0U);
}

TEST_F(HostQueueTest, DestructionFollowsAPoisonedWait) {
  ThreadedQueue queue(setup());
  queue.wait({&flags_, 0}, 1);
  queue.submit();
  flags_.poison();
}

TEST_F(HostQueueTest, SubmissionsRunInOrder) {
  constexpr std::size_t kSteps = 500;
  std::vector<std::uint32_t> cells(kSteps + 1);
  cells[0] = 42;
  ThreadedQueue queue(setup());
  for (std::size_t i = 0; i < kSteps; ++i) {
    queue.copy(&cells[i + 1], &cells[i], sizeof(std::uint32_t), {});
    queue.submit();
  }
  ASSERT_TRUE(queue.synchronize(kLimit));
  EXPECT_EQ(cells.back(), 42U);
}

TEST_F(HostQueueTest, CopiesAreCutIntoChunks) {
  std::vector<char> from(3 * kChunkBytes + 1, 'a');
  std::vector<char> to(from.size());
  ThreadedQueue queue(setup());
  log_.start();
  queue.copy(to.data(), from.data(), from.size(), {});
  queue.submit();
  ASSERT_TRUE(queue.synchronize(kLimit));
  const plan::Timeline timeline = log_.take();
  ASSERT_EQ(timeline.spans.size(), 4U);
  for (const plan::Span& span : timeline.spans) EXPECT_LE(span.bytes, kChunkBytes);
  EXPECT_EQ(to, from);
}

}  // namespace
}  // namespace conccl::backend::host
