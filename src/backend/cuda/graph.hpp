// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CudaGraph`: captured work that can be launched.
#pragma once

#include <memory>

#include "backend/cuda/gpu.hpp"
#include "backend/cuda/task.hpp"
#include "conccl/backend/cuda.hpp"

namespace conccl::backend::cuda {

/// Owns a graph of the driver's while it is captured, until what can be launched is made from it.
using CapturedGraph = std::unique_ptr<CUgraph_st, void (*)(CUgraph)>;

class CudaGraph final : public Graph {
 public:
  /// Throws RunError.
  CudaGraph(std::shared_ptr<Gpu> gpu, const CapturedGraph& captured);
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void launch(Queue& stream) override;

 private:
  /// Goes through the queue like any work, so that it comes after what was recorded there.
  class Launch final : public Task, public Launchable {
   public:
    void launch(const LaunchSite& site) override;
    CUgraphExec executable = nullptr;
  };

  std::shared_ptr<Gpu> gpu_;
  Launch launch_;
};

}  // namespace conccl::backend::cuda
