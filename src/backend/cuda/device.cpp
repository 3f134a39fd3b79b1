// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/device.hpp"

#include <fmt/format.h>

#include <utility>

#include "backend/cuda/address.hpp"
#include "backend/cuda/cycle_reading.hpp"
#include "backend/cuda/flags.hpp"
#include "backend/cuda/gemm.hpp"
#include "backend/cuda/memory.hpp"
#include "backend/cuda/queue.hpp"
#include "backend/cuda/refusal.hpp"
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

bool is_legacy(CUstream stream) { return stream == nullptr || stream == CU_STREAM_LEGACY; }

/// Default streams are of whatever context is current.
bool is_default(CUstream stream) { return is_legacy(stream) || stream == CU_STREAM_PER_THREAD; }

/// Throws InputError for a stream of another GPU.
void require_own(const Gpu& gpu, CUstream stream) {
  CUdevice device = 0;
  const CUresult result = driver().cuStreamGetDevice(stream, &device);
  if (result != CUDA_SUCCESS) {
    throw InputError(fmt::format("stream {}: expected one that is alive: the driver says {}",
                                 fmt::ptr(stream), static_cast<int>(result)));
  }
  if (device == gpu.facts().device) return;
  throw InputError(fmt::format("stream {}: is of CUDA device {}, expected GPU {}, this rank's",
                               fmt::ptr(stream), device, gpu.ordinal()));
}

}  // namespace

CudaDevice::CudaDevice(std::shared_ptr<Gpu> gpu)
    : gpu_(std::move(gpu)), log_(std::make_shared<SpanLog>(gpu_)) {}

Memory CudaDevice::allocate(Bytes bytes) { return cuda::allocate(gpu_, bytes); }

std::optional<Allocation> CudaDevice::allocation_of(const void* address) const {
  return allocation_over(address, 0);
}

std::optional<Allocation> CudaDevice::allocation_over(const void* address, Bytes bytes) const {
  const auto entry = AllocationIndex::of_process().over(address, bytes, gpu_->context());
  if (!entry) return std::nullopt;
  return entry->allocation;
}

bool CudaDevice::lies_in(const void* address, std::uint64_t id) const {
  return AllocationIndex::of_process().holds(address, id, gpu_->context());
}

std::optional<std::string> CudaDevice::why_unusable(const void* address, Bytes bytes,
                                                    Reach reach) const {
  return refusal(*gpu_, address, bytes, reach);
}

std::optional<std::string> CudaDevice::why_unreachable(const Device& peer) const {
  const auto* other = dynamic_cast<const CudaDevice*>(&peer);
  if (other == nullptr) return "a device of another backend";
  return refusal(gpu_->facts(), other->gpu_->facts());
}

Shareable CudaDevice::share(const Allocation& allocation) {
  const ContextScope scope(gpu_->context());
  return cuda::share(allocation);
}

Memory CudaDevice::map(Shareable shareable) {
  if (shareable.owner != this_process()) {
    return Imports::of_process().map(gpu_, std::move(shareable));
  }
  const ContextScope scope(gpu_->context());
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

std::optional<std::uint64_t> CudaDevice::stream_id(void* stream) const {
  const ContextScope scope(gpu_->context());
  auto* handle = static_cast<CUstream>(stream);
  if (!is_default(handle)) require_own(*gpu_, handle);
  unsigned long long id = 0;
  check(driver().cuStreamGetId(handle, &id), {"cuStreamGetId", gpu_->ordinal()});
  return id;
}

std::unique_ptr<Queue> CudaDevice::wrap(void* stream) {
  auto* handle = static_cast<CUstream>(stream);
  const int units = gpu_->facts().units;
  Target target{gpu_, log_, "stream", plan::Engine::dma, units, handle};
  if (!is_legacy(handle)) return std::make_unique<CudaQueue>(std::move(target), Stream());
  Stream internal = gpu_->make_stream(plan::Priority::normal);
  target.stream = internal.get();
  target.joins_default = true;
  return std::make_unique<CudaQueue>(std::move(target), std::move(internal));
}

std::unique_ptr<Gemm> CudaDevice::make_gemm(const GemmSpec& spec, std::uint64_t seed) {
  return std::make_unique<CudaGemm>(gpu_, spec, seed);
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

std::unique_ptr<Task> CudaDevice::make_cycle_reading(std::vector<CycleReading>& readings) {
  return std::make_unique<CycleReadingTask>(gpu_, readings);
}

Nanoseconds CudaDevice::now() const {
  const ContextScope scope(gpu_->context());
  return gpu_->clock().now();
}

std::unique_ptr<Queue> wrap_stream(Device& device, void* stream) {
  auto* mine = dynamic_cast<CudaDevice*>(&device);
  if (mine == nullptr) throw InputError("wrap_stream: expected a device of the CUDA backend");
  return mine->wrap(stream);
}

std::unique_ptr<Task> make_stream_task(std::function<void(void*)> enqueue) {
  return std::make_unique<StreamTask>(std::move(enqueue));
}

}  // namespace conccl::backend::cuda
