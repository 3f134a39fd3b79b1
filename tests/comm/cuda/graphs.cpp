// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/comm/cuda/graphs.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <thread>

#include "backend/cuda/facts.hpp"
#include "conccl/backend/cuda.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::test {
namespace {

using backend::cuda::check;
using backend::cuda::ContextScope;

template <typename Function>
void find(const char* name, Function& function) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  function = library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("no ") + name);
}

GraphCalls find_calls() {
  GraphCalls calls;
  find("cuStreamBeginCapture_v2", calls.begin);
  find("cuStreamEndCapture", calls.end);
  find("cuGraphInstantiateWithFlags", calls.instantiate);
  find("cuGraphLaunch", calls.launch);
  find("cuGraphExecDestroy", calls.destroy_exec);
  find("cuGraphDestroy", calls.destroy);
  return calls;
}

bool in_place(const Collective& what) { return what.placement == plan::Placement::in_place; }

Bytes at(int rank, Bytes block) { return static_cast<Bytes>(rank) * block; }

}  // namespace

const GraphCalls& GraphCalls::get() {
  static const GraphCalls calls = find_calls();
  return calls;
}

CudaGraph::CudaGraph(CUgraph graph) : graph_(graph) {
  check(GraphCalls::get().instantiate(&exec_, graph_, 0), {"cuGraphInstantiateWithFlags"});
}

CudaGraph::~CudaGraph() {
  (void)GraphCalls::get().destroy_exec(exec_);
  (void)GraphCalls::get().destroy(graph_);
}

void CudaGraph::launch(CUstream stream) const {
  check(GraphCalls::get().launch(exec_, stream), {"cuGraphLaunch"});
}

void GraphRank::begin() const {
  const ContextScope scope(gpu->context());
  check(GraphCalls::get().begin(raw.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
        {"cuStreamBeginCapture"});
}

std::unique_ptr<CudaGraph> GraphRank::end() const {
  const ContextScope scope(gpu->context());
  CUgraph graph = nullptr;
  if (GraphCalls::get().end(raw.get(), &graph) != CUDA_SUCCESS) return nullptr;
  return std::make_unique<CudaGraph>(graph);
}

GraphTest::GraphTest(std::chrono::milliseconds deadline) : backend_(backend::open_cuda()) {
  std::vector<std::unique_ptr<backend::Device>> devices = comm::open_devices(*backend_, kRanks);
  comm::Options options;
  options.deadline = deadline;
  comms_ = comm::Communicator::init_all(*backend_, devices, options);
  comm::Group group;
  for (int number = 0; number < kRanks; ++number) {
    GraphRank& made = ranks_.emplace_back();
    made.device = std::move(devices[static_cast<std::size_t>(number)]);
    made.gpu = std::make_shared<backend::cuda::Gpu>(
        backend::cuda::facts_of(number % backend::cuda::gpu_count()));
    made.raw = made.gpu->make_stream(plan::Priority::normal);
    made.stream = backend::cuda::wrap_stream(*made.device, made.raw.get());
    made.send = made.device->allocate(kRanks * kMostBlock);
    made.recv = made.device->allocate(kRanks * kMostBlock);
    static_cast<void>(comm(number).register_window(made.send.data(), made.send.bytes()));
    static_cast<void>(comm(number).register_window(made.recv.data(), made.recv.bytes()));
  }
  group.end();
}

GraphTest::~GraphTest() {
  if (!comms_.empty() && HasFailure()) comms_.front().abort("the test has failed");
  for (GraphRank& each : ranks_) {
    try {
      if (each.stream && !each.stream->synchronize(kLimit)) ADD_FAILURE() << "a stream is stuck";
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

void GraphTest::call(int number, const Collective& what) {
  GraphRank& here = rank(number);
  if (what.collective == plan::Collective::all_to_all) {
    comm(number).all_to_all(here.send.data(), here.recv.data(), what.block, DataType::uint8,
                            *here.stream);
    return;
  }
  const void* own = in_place(what) ? here.recv.at(at(number, what.block)) : here.send.at(0);
  comm(number).all_gather(own, here.recv.data(), what.block, DataType::uint8, *here.stream);
}

Graphs GraphTest::capture(const std::function<void(int)>& calls) {
  Graphs graphs(kRanks);
  const auto outcomes = on_threads(kRanks, [&](int number) {
    rank(number).begin();
    calls(number);
    graphs[static_cast<std::size_t>(number)] = rank(number).end();
  });
  EXPECT_THAT(outcomes, testing::Each(""));
  EXPECT_THAT(graphs, testing::Each(testing::NotNull()));
  return graphs;
}

Graphs GraphTest::capture_by_one_thread(const std::function<void(int)>& calls) {
  Graphs graphs;
  for (int number = 0; number < kRanks; ++number) rank(number).begin();
  comm::Group group;
  for (int number = 0; number < kRanks; ++number) calls(number);
  group.end();
  for (int number = 0; number < kRanks; ++number) graphs.push_back(rank(number).end());
  EXPECT_THAT(graphs, testing::Each(testing::NotNull()));
  return graphs;
}

void GraphTest::launch(const Graphs& graphs) {
  for (int number = 0; number < kRanks; ++number) {
    const ContextScope scope(rank(number).gpu->context());
    graphs[static_cast<std::size_t>(number)]->launch(rank(number).raw.get());
  }
}

void GraphTest::call_all(const Collective& what) {
  comm::Group group;
  for (int number = 0; number < kRanks; ++number) call(number, what);
  group.end();
}

void GraphTest::fill(const Collective& what, std::uint64_t round) {
  for (int number = 0; number < kRanks; ++number) {
    GraphRank& here = rank(number);
    add(number, here.device->make_poison(here.recv.data(), here.recv.bytes()));
    const bool gathers = what.collective == plan::Collective::all_gather;
    const Bytes bytes = gathers ? what.block : kRanks * what.block;
    std::byte* own = in_place(what) ? here.recv.at(at(number, what.block)) : here.send.at(0);
    add(number, here.device->make_fill(own, {{0, bytes, {number, round}, 0}}));
  }
}

void GraphTest::compare(const Collective& what, std::uint64_t round) {
  for (int number = 0; number < kRanks; ++number) {
    GraphRank& here = rank(number);
    const bool exchanges = what.collective == plan::Collective::all_to_all;
    const Bytes from = exchanges ? at(number, what.block) : 0;
    std::vector<backend::Stretch> expected;
    for (int other = 0; other < kRanks; ++other) {
      expected.push_back({at(other, what.block), what.block, {other, round}, from});
    }
    here.results.push_back(std::make_unique<backend::Comparison>());
    add(number, here.device->make_compare(here.recv.data(), expected, *here.results.back()));
  }
}

void GraphTest::add(int number, std::unique_ptr<backend::Task> task) {
  GraphRank& here = rank(number);
  here.tasks.push_back(std::move(task));
  here.stream->compute(*here.tasks.back(), {});
  here.stream->submit();
}

void GraphTest::expect_right() {
  for (GraphRank& each : ranks_) {
    ASSERT_TRUE(each.stream->synchronize(kLimit)) << "a stream is stuck";
  }
  for (GraphRank& each : ranks_) {
    for (std::size_t which = 0; which < each.results.size(); ++which) {
      const auto& result = *each.results[which];
      ASSERT_GT(result.compared, 0U);
      ASSERT_EQ(result.mismatches, 0U) << "compare " << which << ", byte " << result.first_bad;
    }
    each.tasks.clear();
    each.results.clear();
  }
}

std::vector<std::string> on_threads(int ranks, const std::function<void(int)>& body) {
  std::vector<std::string> outcomes(static_cast<std::size_t>(ranks));
  std::vector<std::jthread> threads;
  for (int number = 0; number < ranks; ++number) {
    threads.emplace_back([&outcomes, &body, number] {
      try {
        body(number);
      } catch (const std::exception& error) {
        outcomes[static_cast<std::size_t>(number)] = error.what();
      }
    });
  }
  threads.clear();
  return outcomes;
}

}  // namespace conccl::test
