// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/graph.hpp"

#include <utility>

#include "backend/cuda/queue.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

void destroy(CUgraph graph) { (void)driver().cuGraphDestroy(graph); }

const Target& target_of(const Queue& stream) {
  const auto* queue = dynamic_cast<const CudaQueue*>(&stream);
  if (queue == nullptr) throw InputError("graph: expected a queue of the CUDA backend");
  if (queue->target().joins_default) {
    throw InputError("graph: the legacy default stream cannot be captured");
  }
  return queue->target();
}

/// Ends the capture that `enqueue` fills, whatever happens in it.
CapturedGraph fill(const Target& target, const std::function<void()>& enqueue) {
  const int gpu = target.gpu->ordinal();
  // What other threads do meanwhile is their affair, and no reason for a capture to fail.
  check(driver().cuStreamBeginCapture(target.stream, CU_STREAM_CAPTURE_MODE_RELAXED),
        {"cuStreamBeginCapture", gpu});
  CUgraph graph = nullptr;
  try {
    enqueue();
  } catch (...) {
    const ContextScope scope(target.gpu->context());
    if (driver().cuStreamEndCapture(target.stream, &graph) == CUDA_SUCCESS) destroy(graph);
    throw;
  }
  const ContextScope scope(target.gpu->context());
  check(driver().cuStreamEndCapture(target.stream, &graph), {"cuStreamEndCapture", gpu});
  return {graph, destroy};
}

}  // namespace

CudaGraph::CudaGraph(std::shared_ptr<Gpu> gpu, const CapturedGraph& captured)
    : gpu_(std::move(gpu)) {
  const ContextScope scope(gpu_->context());
  check(driver().cuGraphInstantiateWithFlags(&launch_.executable, captured.get(), 0),
        {"cuGraphInstantiateWithFlags", gpu_->ordinal()});
}

CudaGraph::~CudaGraph() {
  const ContextScope scope(gpu_->context());
  (void)driver().cuGraphExecDestroy(launch_.executable);
}

void CudaGraph::Launch::launch(const LaunchSite& site) {
  check(driver().cuGraphLaunch(executable, site.stream), {"cuGraphLaunch", site.gpu.ordinal()});
}

void CudaGraph::launch(Queue& stream) {
  if (target_of(stream).gpu != gpu_) {
    throw InputError("graph: launch: expected a queue of the GPU it was captured on");
  }
  stream.compute(launch_, {});
  stream.submit();
}

std::unique_ptr<Graph> capture_graph(Queue& stream, const std::function<void()>& enqueue) {
  const Target& target = target_of(stream);
  stream.submit();
  const CapturedGraph captured = fill(target, enqueue);
  return std::make_unique<CudaGraph>(target.gpu, captured);
}

}  // namespace conccl::backend::cuda
