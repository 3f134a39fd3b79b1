// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/peers/gpu_site.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "conccl/backend/cuda.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

constexpr std::chrono::seconds kIdleLimit{10};

// Numbers of cuda.h, which is not needed to build.
constexpr int kRelaxedCapture = 2;
constexpr int kKernelNode = 0;
constexpr int kCopyNode = 1;
constexpr int kFlagNode = 12;

// clang-format off
#define CONCCL_SITE_CALLS(call)                                         \
  call(cuCtxGetCurrent, (void** context))                               \
  call(cuCtxSetCurrent, (void* context))                                \
  call(cuStreamBeginCapture_v2, (void* stream, int mode))               \
  call(cuStreamEndCapture, (void* stream, void** graph))                \
  call(cuGraphGetNodes, (void* graph, void** nodes, std::size_t* count)) \
  call(cuGraphNodeGetType, (void* node, int* type))                     \
  call(cuGraphDestroy, (void* graph))
// clang-format on

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): the vendor's names.
struct Calls {
#define CONCCL_DECLARE(name, arguments) int(*name) arguments = nullptr;
  CONCCL_SITE_CALLS(CONCCL_DECLARE)
#undef CONCCL_DECLARE
};
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw Unavailable(fmt::format("libcuda.so.1 has no {}", name));
}

Calls open_calls() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Unavailable("libcuda.so.1 not found");
  Calls calls;
#define CONCCL_FIND(name, arguments) find(library, #name, calls.name);
  CONCCL_SITE_CALLS(CONCCL_FIND)
#undef CONCCL_FIND
  return calls;
}

const Calls& calls() {
  static const Calls opened = open_calls();
  return opened;
}

void check(int result, const char* call) {
  if (result != 0) throw RunError(fmt::format("{}: error {} of the driver", call, result));
}

using Graph = std::unique_ptr<void, int (*)(void*)>;

Graph capture(const GpuSite& site, const std::function<void(void*)>& enqueue) {
  check(calls().cuStreamBeginCapture_v2(site.stream, kRelaxedCapture), "cuStreamBeginCapture");
  void* graph = nullptr;
  try {
    enqueue(site.stream);
  } catch (...) {
    // The first error is on its way up; the stream must not stay in capture.
    if (calls().cuStreamEndCapture(site.stream, &graph) == 0 && graph != nullptr) {
      (void)calls().cuGraphDestroy(graph);
    }
    throw;
  }
  check(calls().cuStreamEndCapture(site.stream, &graph), "cuStreamEndCapture");
  return {graph, calls().cuGraphDestroy};
}

void count(int type, CapturedCalls& recorded) {
  switch (type) {
    case kKernelNode:
      ++recorded.kernels;
      return;
    case kCopyNode:
      ++recorded.copies;
      return;
    case kFlagNode:
      ++recorded.flag_operations;
      return;
    default:
      ++recorded.others;
  }
}

}  // namespace

void GpuSite::enter() const { check(calls().cuCtxSetCurrent(context), "cuCtxSetCurrent"); }

GpuSite site_of(backend::Queue& queue) {
  GpuSite site;
  const auto task = backend::cuda::make_stream_task([&site](void* stream) {
    site.stream = stream;
    check(calls().cuCtxGetCurrent(&site.context), "cuCtxGetCurrent");
  });
  queue.compute(*task, {});
  queue.submit();
  if (!queue.synchronize(kIdleLimit)) {
    throw RunError(fmt::format("stream: not idle after {} s", kIdleLimit.count()));
  }
  return site;
}

CapturedCalls record(const GpuSite& site, const std::function<void(void*)>& enqueue) {
  site.enter();
  const Graph graph = capture(site, enqueue);
  std::size_t size = 0;
  check(calls().cuGraphGetNodes(graph.get(), nullptr, &size), "cuGraphGetNodes");
  std::vector<void*> nodes(size);
  check(calls().cuGraphGetNodes(graph.get(), nodes.data(), &size), "cuGraphGetNodes");
  CapturedCalls recorded;
  for (void* node : nodes) {
    int type = 0;
    check(calls().cuGraphNodeGetType(node, &type), "cuGraphNodeGetType");
    count(type, recorded);
  }
  return recorded;
}

std::string to_string(const CapturedCalls& recorded) {
  return fmt::format("{} copies, {} flag operations, {} kernels", recorded.copies,
                     recorded.flag_operations, recorded.kernels);
}

}  // namespace conccl::bench
