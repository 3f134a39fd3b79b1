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
  void* pointer = nullptr;
  guarded([&] { pointer = reach(spec_.runtime, address, bytes, holds_).pointer; });
  return pointer;
}

void ComputeLane::guarded(const std::function<void()>& action) {
  try {
    action();
  } catch (const RunError& error) {
    fail(error.what());
  }
}

void ComputeLane::finish(Bytes bytes) {
  Runtime& runtime = *spec_.runtime;
  InFlight in_flight{runtime.signals().take(), std::exchange(holds_, {})};
  guarded([&] { queue().barrier(in_flight.done.get()); });
  const auto until = runtime.deadline_of(bytes);
  const auto value = runtime.await(in_flight.done.get(), runtime.gpu(spec_.gpu), until);
  if (value && *value == 0) return;
  const std::string why = queue().failure();
  if (value) fail(fmt::format("kernels failed with signal value {}", *value));
  runtime.overdue().add(std::move(in_flight));
  fail(why.empty() ? "kernels have not ended in time" : why);
}

void ComputeLane::fail(const std::string& what) {
  const auto text = fmt::format("queue {} of GPU {}: {}", spec_.label, spec_.gpu, what);
  spec_.runtime->gpu(spec_.gpu).failure.declare(text);
  throw threaded::DeviceFailed(text);
}

}  // namespace conccl::backend::hsa
