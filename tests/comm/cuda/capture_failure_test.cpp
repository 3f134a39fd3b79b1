// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What cannot be captured, and graphs whose communicator fails.

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "backend/cuda/facts.hpp"
#include "conccl/backend/cuda.hpp"
#include "conccl/core/errors.hpp"
#include "tests/comm/cuda/graphs.hpp"

namespace conccl {
namespace {

using namespace conccl::test;
using namespace std::chrono_literals;
using backend::cuda::check;
using backend::cuda::ContextScope;
using backend::cuda::driver;
using testing::AllOf;
using testing::HasSubstr;

constexpr Collective kGather{plan::Collective::all_gather, plan::Placement::out_of_place, 40'000};

using CaptureRefusal = GraphTest;

void expect_refused(const std::function<void()>& call, const std::string& why) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << why;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST_F(CaptureRefusal, OrdinaryBuffers) {
  const auto ordinary = rank(0).device->allocate(1 << 20);
  rank(0).begin();
  expect_refused(
      [&] {
        comm(0).all_gather(rank(0).send.data(), ordinary.data(), 1000, DataType::uint8,
                           *rank(0).stream);
      },
      "recv is an ordinary buffer");
  EXPECT_NE(rank(0).end(), nullptr) << "the refusal broke the capture";
  fill(kGather, 1);
  call_all(kGather);
  compare(kGather, 1);
  expect_right();
}

TEST_F(CaptureRefusal, APlanOfTheCaller) {
  const plan::Request request{plan::Collective::all_gather, kRanks, 1000,
                              plan::Placement::out_of_place};
  const auto lanes = plan::build_rank(request, {}, 0);
  comm::PlanCall call;
  call.lanes = &lanes;
  call.request = request;
  call.flags = 2 * kRanks;
  call.send = rank(0).send.data();
  call.recv = rank(0).recv.data();
  rank(0).begin();
  expect_refused([&] { comm(0).run(call, *rank(0).stream); }, "a plan of the caller's cannot be");
  EXPECT_NE(rank(0).end(), nullptr);
}

TEST_F(CaptureRefusal, WhatReportsToTheHost) {
  auto& stream = *rank(0).stream;
  backend::Timestamp slot{};
  backend::Comparison result;
  const auto task = rank(0).device->make_compare(rank(0).send.data(), {{0, 64, {0, 0}, 0}}, result);
  rank(0).begin();
  EXPECT_TRUE(stream.capturing());
  expect_refused(
      [&] {
        stream.timestamp(slot);
        stream.submit();
      },
      "a timestamp reports to the host");
  expect_refused(
      [&] {
        stream.compute(*task, {});
        stream.submit();
      },
      "a compare reports to the host");
  expect_refused([&] { static_cast<void>(stream.synchronize(1s)); }, "is being captured");
  EXPECT_NE(rank(0).end(), nullptr);
  EXPECT_FALSE(stream.capturing());
}

TEST_F(CaptureRefusal, TheLegacyStreamWhileAStreamItWaitsForIsCaptured) {
  const ContextScope scope(rank(0).gpu->context());
  const auto legacy = backend::cuda::wrap_stream(*rank(0).device, nullptr);
  EXPECT_FALSE(legacy->capturing());
  CUstream handle = nullptr;
  check(driver().cuStreamCreateWithPriority(&handle, CU_STREAM_DEFAULT, 0),
        {"cuStreamCreateWithPriority"});
  const backend::cuda::Stream blocking(handle);
  check(GraphCalls::get().begin(handle, CU_STREAM_CAPTURE_MODE_RELAXED), {"cuStreamBeginCapture"});
  expect_refused(
      [&] {
        comm(0).all_gather(rank(0).send.data(), rank(0).recv.data(), 1000, DataType::uint8,
                           *legacy);
      },
      "the legacy default stream cannot be used");
  CUgraph graph = nullptr;
  check(GraphCalls::get().end(handle, &graph), {"cuStreamEndCapture"});
  (void)GraphCalls::get().destroy(graph);
  EXPECT_FALSE(legacy->capturing());
}

TEST_F(CaptureRefusal, WorkOfOtherThreadsDoesNotBreakACapture) {
  const ContextScope scope(rank(0).gpu->context());
  const auto raw = rank(0).gpu->make_stream(plan::Priority::normal);
  check(GraphCalls::get().begin(raw.get(), CU_STREAM_CAPTURE_MODE_GLOBAL),
        {"cuStreamBeginCapture"});
  const auto outcomes = on_threads(1, [&](int) {
    const auto memory = rank(0).device->allocate(1 << 20);
    const auto flags = rank(0).device->make_flags(4);
    fill(kGather, 1);
    call_all(kGather);
    compare(kGather, 1);
    expect_right();
  });
  EXPECT_THAT(outcomes, testing::Each(""));
  CUgraph graph = nullptr;
  EXPECT_EQ(GraphCalls::get().end(raw.get(), &graph), CUDA_SUCCESS);
  if (graph != nullptr) (void)GraphCalls::get().destroy(graph);
}

class CaptureFailure : public GraphTest {
 protected:
  CaptureFailure() : GraphTest(2s) {}

  void launch_at(int number, const Graphs& graphs) {
    const ContextScope scope(rank(number).gpu->context());
    graphs[static_cast<std::size_t>(number)]->launch(rank(number).raw.get());
  }
};

TEST_F(CaptureFailure, EndsEveryReplay) {
  const auto graphs = capture([this](int rank) { call(rank, kGather); });
  if (HasFailure()) return;
  launch(graphs);
  for (int more = 0; more < 3; ++more) launch_at(0, graphs);
  EXPECT_FALSE(rank(0).stream->synchronize(100ms)) << "it did not wait for rank 1";
  comm(1).abort("enough");
  EXPECT_TRUE(rank(0).stream->synchronize(kLimit));
  launch_at(0, graphs);
  EXPECT_TRUE(rank(0).stream->synchronize(kLimit)) << "a later replay hangs";
  rank(0).begin();
  try {
    call(0, kGather);
    ADD_FAILURE() << "not refused";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("aborted by rank 1: enough"));
  }
  EXPECT_NE(rank(0).end(), nullptr);
}

TEST_F(CaptureFailure, CallsThatDifferAreNamed) {
  const auto outcomes = on_threads(kRanks, [this](int number) {
    rank(number).begin();
    call(number, {plan::Collective::all_gather, plan::Placement::out_of_place,
                  number == 0 ? Bytes{800} : Bytes{1600}});
  });
  EXPECT_THAT(outcomes,
              testing::Each(AllOf(HasSubstr("count of all_gather differs between ranks"),
                                  HasSubstr("rank 0 has 800"), HasSubstr("rank 1 has 1600"))));
  for (int number = 0; number < kRanks; ++number) static_cast<void>(rank(number).end());
}

constexpr const char* kIdVariable = "CONCCL_TEST_UNIQUE_ID";

/// One of two ranks, each in a process of its own.
struct JoinedRank {
  explicit JoinedRank(const comm::UniqueId& id, int rank) : backend(backend::open_cuda()) {
    const int gpu_number = rank % backend::cuda::gpu_count();
    here.device = backend->open_device(rank);
    here.gpu = std::make_shared<backend::cuda::Gpu>(backend::cuda::facts_of(gpu_number));
    here.raw = here.gpu->make_stream(plan::Priority::normal);
    here.stream = backend::cuda::wrap_stream(*here.device, here.raw.get());
    comm = std::make_unique<comm::Communicator>(
        comm::Communicator::init_rank(*backend, *here.device, id, {rank, 2}));
    here.send = here.device->allocate(1 << 20);
    here.recv = here.device->allocate(1 << 20);
    static_cast<void>(comm->register_window(here.send.data(), here.send.bytes()));
    static_cast<void>(comm->register_window(here.recv.data(), here.recv.bytes()));
    here.begin();
    comm->all_to_all(here.send.data(), here.recv.data(), 4000, DataType::uint8, *here.stream);
    graph = here.end();
  }
  void launch() {
    const ContextScope scope(here.gpu->context());
    graph->launch(here.raw.get());
  }

  std::unique_ptr<backend::Backend> backend;
  GraphRank here;
  std::unique_ptr<comm::Communicator> comm;
  std::unique_ptr<CudaGraph> graph;
};

TEST(ChildProcess, ReplaysTwiceAndWaitsToBeKilled) {
  const char* id = std::getenv(kIdVariable);
  if (id == nullptr) GTEST_SKIP() << "run by another test";
  JoinedRank rank(comm::parse_unique_id(id), 1);
  ASSERT_NE(rank.graph, nullptr);
  rank.launch();
  rank.launch();
  EXPECT_TRUE(rank.here.stream->synchronize(kLimit));
  // Killed long before.
  std::this_thread::sleep_for(2 * kLimit);
}

pid_t spawn_child(const comm::UniqueId& id) {
  std::string name = "/proc/self/exe";
  std::string filter = "--gtest_filter=ChildProcess.*";
  std::string given = std::string(kIdVariable) + "=" + to_text(id);
  std::vector<char*> arguments{name.data(), filter.data(), nullptr};
  std::vector<char*> variables;
  for (char** each = environ; *each != nullptr; ++each) variables.push_back(*each);
  variables.push_back(given.data());
  variables.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, name.c_str(), nullptr, nullptr, arguments.data(), variables.data());
  return failed == 0 ? child : -1;
}

TEST(CaptureBetweenProcesses, ARankThatIsKilledIsNamedAndReleased) {
  const auto id = comm::make_unique_id();
  const pid_t child = spawn_child(id);
  ASSERT_GT(child, 0);
  JoinedRank rank(id, 0);
  ASSERT_NE(rank.graph, nullptr);
  rank.launch();
  rank.launch();
  EXPECT_TRUE(rank.here.stream->synchronize(kLimit));
  rank.launch();
  EXPECT_FALSE(rank.here.stream->synchronize(100ms)) << "it did not wait for rank 1";
  EXPECT_EQ(kill(child, SIGKILL), 0);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(rank.here.stream->synchronize(kLimit)) << "the replay was not released";
  EXPECT_THAT(rank.comm->async_error().value_or(""),
              AllOf(HasSubstr("rank 1"), HasSubstr("ended without leaving")));
  rank.launch();
  EXPECT_TRUE(rank.here.stream->synchronize(kLimit)) << "a later replay hangs";
}

}  // namespace
}  // namespace conccl
