// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/device.hpp"

#include <fmt/format.h>

#include <utility>

#include "backend/cuda/address.hpp"
#include "backend/cuda/flags.hpp"
#include "backend/cuda/gemm.hpp"
#include "backend/cuda/memory.hpp"
#include "backend/cuda/queue.hpp"
#include "backend/cuda/tasks.hpp"
#include "conccl/backend/cuda.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

using Kind = plan::Share::Kind;

// On fewer, scattered as they are, a kernel whose blocks run in clusters cannot start.
constexpr int kFewestLeft = 16;

bool can_split(const plan::Share& share, const GpuFacts& facts) {
  if (facts.unit_step == 0 || share.units < 1 || share.units % facts.unit_step != 0) return false;
  const int left = facts.units - share.units;
  return share.kind == Kind::only ? left > 0 : left >= kFewestLeft;
}

/// How many multiprocessors the queue gets. Throws Unavailable.
int units_of(const QueueSpec& spec, const GpuFacts& facts) {
  const auto& [kind, asked] = spec.share;
  const bool only = kind == Kind::only;
  const bool everything = kind == Kind::all || asked == (only ? facts.units : 0);
  if (everything) return facts.units;
  if (can_split(spec.share, facts)) return only ? asked : facts.units - asked;
  throw Unavailable(
      fmt::format("queue {}: {} {} of the {} multiprocessors of GPU {}, expected a multiple of {} "
                  "that leaves {}",
                  spec.label, only ? "only" : "all but", asked, facts.units, facts.ordinal,
                  facts.unit_step, only ? 1 : kFewestLeft));
}

Stream stream_for(Gpu& gpu, const QueueSpec& spec, int units) {
  if (units == gpu.facts().units) return gpu.make_stream(spec.priority);
  const Partition& parts = gpu.partition(spec.share.units);
  const bool only = spec.share.kind == Kind::only;
  return (only ? parts.some() : parts.rest()).make_stream(gpu.driver_priority(spec.priority));
}

}  // namespace

CudaDevice::CudaDevice(std::shared_ptr<Gpu> gpu)
    : gpu_(std::move(gpu)), log_(std::make_shared<SpanLog>(gpu_)) {}

Memory CudaDevice::allocate(Bytes bytes) { return cuda::allocate(gpu_, bytes); }

std::optional<Allocation> CudaDevice::allocation_of(const void* address) const {
  const auto entry = AllocationIndex::of_process().at(address);
  if (!entry) return std::nullopt;
  return entry->allocation;
}

Shareable CudaDevice::share(const Allocation& allocation) {
  const ContextScope scope(gpu_->context());
  return cuda::share(allocation);
}

Memory CudaDevice::map(Shareable shareable) {
  if (shareable.owner != this_process()) {
    return Imports::of_process().map(gpu_, std::move(shareable));
  }
  const auto entry = AllocationIndex::of_process().find(shareable.allocation);
  auto memory = entry ? entry->allocation.memory.lock() : nullptr;
  if (!memory) {
    throw RunError(fmt::format("map: allocation {} of {} bytes, expected one that is not freed",
                               shareable.allocation, shareable.bytes));
  }
  return {std::move(memory), entry->allocation.bytes};
}

std::unique_ptr<FlagBlock> CudaDevice::make_flags(int count) {
  if (count < 0) throw InputError(fmt::format("make_flags: {}, expected 0 or more", count));
  return std::make_unique<CudaFlags>(allocate_pages(gpu_, CudaFlags::bytes_for(count)), count);
}

std::unique_ptr<FlagBlock> CudaDevice::map_flags(Memory memory, int count) {
  // Another process may say of any memory that its flags are there.
  if (memory_kind(memory.data()) != CU_MEMORYTYPE_HOST) {
    throw RunError("map_flags: expected memory of make_flags");
  }
  return std::make_unique<CudaFlags>(std::move(memory), count);
}

std::unique_ptr<Queue> CudaDevice::make_queue(const QueueSpec& spec) {
  const bool dma = spec.engine == plan::Engine::dma;
  const int units = dma ? gpu_->facts().units : units_of(spec, gpu_->facts());
  Stream stream = dma ? gpu_->make_stream(spec.priority) : stream_for(*gpu_, spec, units);
  Target target{gpu_, log_, spec.label, spec.engine, units, stream.get()};
  return std::make_unique<CudaQueue>(std::move(target), std::move(stream));
}

std::unique_ptr<Queue> CudaDevice::wrap(CUstream stream) {
  const int units = gpu_->facts().units;
  Target target{gpu_, log_, "stream", plan::Engine::dma, units, stream};
  if (stream != nullptr && stream != CU_STREAM_LEGACY) {
    return std::make_unique<CudaQueue>(std::move(target), Stream());
  }
  Stream internal = gpu_->make_stream(plan::Priority::normal);
  target.stream = internal.get();
  target.joins_default = true;
  return std::make_unique<CudaQueue>(std::move(target), std::move(internal));
}

std::unique_ptr<Gemm> CudaDevice::make_gemm(const GemmShape& shape, std::uint64_t seed) {
  return std::make_unique<CudaGemm>(gpu_, shape, seed);
}

std::unique_ptr<Task> CudaDevice::make_fill(void* data, std::vector<Stretch> stretches) {
  return std::make_unique<FillTask>(data, std::move(stretches));
}

std::unique_ptr<Task> CudaDevice::make_poison(void* data, Bytes bytes) {
  return std::make_unique<PoisonTask>(data, bytes);
}

std::unique_ptr<Task> CudaDevice::make_compare(const void* data, std::vector<Stretch> stretches,
                                               Comparison& result) {
  return std::make_unique<CompareTask>(gpu_, data, std::move(stretches), result);
}

Nanoseconds CudaDevice::now() const {
  const ContextScope scope(gpu_->context());
  return gpu_->clock().now();
}

std::unique_ptr<Queue> wrap_stream(Device& device, void* stream) {
  auto* mine = dynamic_cast<CudaDevice*>(&device);
  if (mine == nullptr) throw InputError("wrap_stream: expected a device of the CUDA backend");
  return mine->wrap(static_cast<CUstream>(stream));
}

std::unique_ptr<Task> make_stream_task(std::function<void(void*)> enqueue) {
  return std::make_unique<StreamTask>(std::move(enqueue));
}

}  // namespace conccl::backend::cuda
