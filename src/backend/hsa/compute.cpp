// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/compute.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/threaded/launcher.hpp"

namespace conccl::backend::hsa {
namespace {

constexpr std::uint64_t kItemsEach = 4;  ///< pieces of work of a work-item, where there are many
constexpr std::uint64_t kGroupsPerUnit = 8;

}  // namespace

ComputeLane::~ComputeLane() {
  if (!queue_ || queue_->drain(spec_.runtime->time_for(0))) return;
  spec_.runtime->overdue().keep(std::exchange(holds_, {}));
}

KernelQueue& ComputeLane::queue() {
  if (queue_) return *queue_;
  Runtime& runtime = *spec_.runtime;
  Gpu& gpu = runtime.gpu(spec_.gpu);
  KernelQueueSpec made;
  made.gpu = spec_.gpu;
  made.units = spec_.units;
  if (spec_.priority == plan::Priority::high) made.priority = abi::HSA_AMD_QUEUE_PRIORITY_HIGH;
  made.limit = runtime.settings().deadline;
  queue_ =
      std::make_unique<KernelQueue>(runtime.calls(), gpu.facts.agent, runtime.host().kernarg_pool,
                                    gpu.kernels.get(runtime, gpu), std::move(made));
  return *queue_;
}

std::uint32_t ComputeLane::grid_for(std::uint64_t items) {
  const std::uint64_t most = static_cast<std::uint64_t>(queue().units()) * kGroupsPerUnit;
  const std::uint64_t wanted = items / (kWorkgroup * kItemsEach) + 1;
  return static_cast<std::uint32_t>(std::min(wanted, most) * kWorkgroup);
}

void* ComputeLane::reach_and_hold(const void* address, Bytes bytes) {
  return reach(spec_.runtime, address, bytes, holds_).pointer;
}

void ComputeLane::guarded(const std::function<void()>& action) {
  try {
    action();
  } catch (const RunError& error) {
    fail(error.what());
  }
}

void ComputeLane::finish(Bytes bytes) {
  const auto limit = spec_.runtime->time_for(bytes);
  if (!queue_ || queue_->drain(limit)) {
    holds_.clear();
    return;
  }
  const std::string why = queue_->failure();
  spec_.runtime->overdue().keep(std::exchange(holds_, {}));
  if (!why.empty()) fail(why);
  fail(fmt::format("kernels: not ended after {} ms",
                   std::chrono::duration_cast<std::chrono::milliseconds>(limit).count()));
}

void ComputeLane::fail(const std::string& what) {
  const auto text = fmt::format("queue {} of GPU {}: {}", spec_.label, spec_.gpu, what);
  spec_.runtime->gpu(spec_.gpu).failure.declare(text);
  throw threaded::DeviceFailed(text);
}

}  // namespace conccl::backend::hsa
