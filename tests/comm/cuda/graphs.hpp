// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Ranks on GPUs whose streams are captured into CUDA graphs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/cuda/gpu.hpp"
#include "conccl/comm/communicator.hpp"

namespace conccl::test {

inline constexpr std::chrono::seconds kLimit{30};

/// Calls that the library has no need of.
struct GraphCalls {
  [[nodiscard]] static const GraphCalls& get();

  decltype(&::cuStreamBeginCapture) begin = nullptr;
  decltype(&::cuStreamEndCapture) end = nullptr;
  decltype(&::cuGraphInstantiateWithFlags) instantiate = nullptr;
  decltype(&::cuGraphLaunch) launch = nullptr;
  decltype(&::cuGraphExecDestroy) destroy_exec = nullptr;
  decltype(&::cuGraphDestroy) destroy = nullptr;
};

/// An instantiated graph, with the one it was made from.
class CudaGraph {
 public:
  explicit CudaGraph(CUgraph graph);
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  void launch(CUstream stream) const;

 private:
  CUgraph graph_;
  CUgraphExec exec_ = nullptr;
};

/// By rank.
using Graphs = std::vector<std::unique_ptr<CudaGraph>>;

/// One rank: its GPU, a stream of a caller's, and two buffers in windows.
struct GraphRank {
  std::unique_ptr<backend::Device> device;
  std::shared_ptr<backend::cuda::Gpu> gpu;
  backend::cuda::Stream raw;
  std::unique_ptr<backend::Queue> stream;  ///< over `raw`
  backend::Memory send;
  backend::Memory recv;
  std::vector<std::unique_ptr<backend::Task>> tasks;
  std::vector<std::unique_ptr<backend::Comparison>> results;

  void begin() const;
  /// Ends the capture; null when it was broken.
  [[nodiscard]] std::unique_ptr<CudaGraph> end() const;
};

/// One collective of every rank.
struct Collective {
  plan::Collective collective = plan::Collective::all_gather;
  plan::Placement placement = plan::Placement::out_of_place;
  Bytes block = 0;
};

/// Two ranks on two GPUs, or on one.
class GraphTest : public testing::Test {
 protected:
  static constexpr int kRanks = 2;
  static constexpr Bytes kMostBlock = 1 << 20;

  explicit GraphTest(std::chrono::milliseconds deadline = kLimit);
  /// Ends what still waits, so that a failed test ends.
  ~GraphTest() override;

  [[nodiscard]] GraphRank& rank(int number) { return ranks_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] comm::Communicator& comm(int number) {
    return comms_[static_cast<std::size_t>(number)];
  }
  void end_communicators() { comms_.clear(); }

  void call(int rank, const Collective& what);
  /// Every rank's `calls` into a graph, each by a thread of its own.
  [[nodiscard]] Graphs capture(const std::function<void(int rank)>& calls);
  /// The same by this thread alone.
  [[nodiscard]] Graphs capture_by_one_thread(const std::function<void(int rank)>& calls);
  void launch(const Graphs& graphs);
  /// Every rank's call, outside of any capture.
  void call_all(const Collective& what);

  /// Behind what the streams hold: new inputs, and poison wherever results go.
  void fill(const Collective& what, std::uint64_t round);
  /// Behind what the streams hold: a compare of every byte of the results.
  void compare(const Collective& what, std::uint64_t round);
  /// Waits for the streams, and expects every compare since the last time to have found nothing.
  void expect_right();

 private:
  void add(int rank, std::unique_ptr<backend::Task> task);

  std::unique_ptr<backend::Backend> backend_;
  std::vector<GraphRank> ranks_;
  std::vector<comm::Communicator> comms_;
};

/// Runs `body(rank)` for every rank, each on a thread of its own; the messages of what was thrown.
std::vector<std::string> on_threads(int ranks, const std::function<void(int)>& body);

}  // namespace conccl::test
