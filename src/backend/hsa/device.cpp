// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <utility>

#include "backend/hsa/hip/gemm.hpp"
#include "backend/hsa/hip/stream_queue.hpp"
#include "backend/hsa/launcher.hpp"
#include "backend/hsa/memory.hpp"
#include "backend/hsa/tasks.hpp"
#include "conccl/backend/host_flags.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

std::vector<int> numbers(int first, int end) {
  std::vector<int> all(static_cast<std::size_t>(end - first));
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// Empty: all. `only` k and `all but` k are disjoint.
std::vector<int> units_of(const QueueSpec& spec, int units) {
  const int asked = spec.share.units;
  switch (spec.share.kind) {
    case plan::Share::Kind::all:
      return {};
    case plan::Share::Kind::only:
      if (asked < 1 || asked > units) break;
      return numbers(0, asked);
    case plan::Share::Kind::all_but:
      if (asked < 0 || asked >= units) break;
      return numbers(asked, units);
  }
  throw Unavailable(fmt::format("queue {}: {} {} compute units, this device has {}", spec.label,
                                spec.share.kind == plan::Share::Kind::only ? "only" : "all but",
                                asked, units));
}

}  // namespace

HsaDevice::HsaDevice(std::shared_ptr<Runtime> runtime, std::shared_ptr<hip::Hip> hip, int gpu)
    : runtime_(std::move(runtime)),
      hip_(std::move(hip)),
      gpu_(gpu),
      flags_(0),
      log_(std::make_shared<SpanLog>()) {}

Memory HsaDevice::allocate(Bytes bytes) { return hsa::allocate(runtime_, gpu_, bytes); }

std::optional<Allocation> HsaDevice::allocation_of(const void* address) const {
  if (auto flags = flags_.allocation_of(address)) return flags;
  const auto entry = Index::of_process().at(address, *runtime_);
  if (!entry || entry->maker == Index::Maker::other_process) return std::nullopt;
  return entry->allocation;
}

std::optional<std::string> HsaDevice::why_unreachable(const Device& peer) const {
  const auto* other = dynamic_cast<const HsaDevice*>(&peer);
  if (other == nullptr) return "it is a device of another backend";
  const auto& unreachable = runtime_->gpu(gpu_).facts.unreachable;
  if (std::ranges::count(unreachable, other->gpu_) == 0) return std::nullopt;
  return fmt::format("GPU {} cannot access memory of GPU {}: the runtime never allows it", gpu_,
                     other->gpu_);
}

std::optional<std::string> HsaDevice::failure() const {
  try {
    runtime_->gpu(gpu_).failure.require_none();
  } catch (const RunError& error) {
    return error.what();
  }
  return std::nullopt;
}

Shareable HsaDevice::share(const Allocation& allocation) {
  if (flags_.allocation_of(allocation.base)) return flags_.share(allocation);
  return Exports::of_process().share(runtime_, allocation);
}

Memory HsaDevice::map(Shareable shareable) {
  if (!is_exported(shareable)) return flags_.map(std::move(shareable));
  if (shareable.owner != this_process()) return Imports::of_process().map(runtime_, shareable);
  const auto entry = Index::of_process().find(shareable.allocation);
  auto memory = entry ? entry->allocation.memory.lock() : nullptr;
  if (!memory) {
    throw RunError(fmt::format("map: allocation {} of {} bytes, expected one that is not freed",
                               shareable.allocation, shareable.bytes));
  }
  return {std::move(memory), entry->allocation.bytes};
}

std::unique_ptr<FlagBlock> HsaDevice::make_flags(int count) {
  if (count < 0) throw InputError(fmt::format("make_flags: {}, expected 0 or more", count));
  Memory memory = flags_.allocate_for_flags(HostFlags::bytes_for(count));
  std::memset(memory.data(), 0, memory.bytes());
  return std::make_unique<HostFlags>(std::move(memory), count, this);
}

std::unique_ptr<FlagBlock> HsaDevice::map_flags(Memory memory, int count) {
  return std::make_unique<HostFlags>(std::move(memory), count, nullptr);
}

threaded::QueueSetup HsaDevice::setup_of(const QueueSpec& spec) {
  auto compute = std::make_unique<ComputeLane>(ComputeSpec{
      runtime_, gpu_, spec.label, units_of(spec, runtime_->gpu(gpu_).facts.units), spec.priority});
  auto launcher = std::make_unique<HsaLauncher>(CopySite{runtime_, gpu_, log_, spec.label},
                                                spec.engine, std::move(compute));
  return {spec.label, std::move(launcher), {}, this};
}

std::unique_ptr<Queue> HsaDevice::make_queue(const QueueSpec& spec) {
  return std::make_unique<threaded::ThreadedQueue>(setup_of(spec));
}

std::optional<std::uint64_t> HsaDevice::stream_id(void* stream) const {
  if (!hip_) return Device::stream_id(stream);
  return hip::id_of_stream(hip::caller_stream(*hip_, gpu_, stream), gpu_);
}

std::unique_ptr<Queue> HsaDevice::wrap(void* stream) {
  if (!hip_) return Device::wrap(stream);
  auto* const handle = hip::caller_stream(*hip_, gpu_, stream);
  return std::make_unique<hip::StreamQueue>(hip_, gpu_, handle,
                                            setup_of({"stream", plan::Engine::dma, {}, {}}));
}

std::unique_ptr<Gemm> HsaDevice::make_gemm(const GemmSpec& spec, std::uint64_t seed) {
  if (!hip_) throw Unavailable(*why_no_gemm({}, spec));
  return std::make_unique<hip::HipGemm>(hip_, gpu_, spec, seed);
}

std::unique_ptr<Task> HsaDevice::make_fill(void* data, std::vector<Stretch> stretches) {
  return std::make_unique<FillTask>(data, std::move(stretches));
}

std::unique_ptr<Task> HsaDevice::make_poison(void* data, Bytes bytes) {
  return std::make_unique<PoisonTask>(data, bytes);
}

std::unique_ptr<Task> HsaDevice::make_compare(const void* data, std::vector<Stretch> stretches,
                                              Comparison& result) {
  return std::make_unique<CompareTask>(runtime_->gpu(gpu_).tallies.take(runtime_, gpu_), data,
                                       std::move(stretches), result);
}

Nanoseconds HsaDevice::now() const { return steady_now(); }

void HsaDevice::start_timeline() {
  runtime_->keep_copy_times();
  log_->start();
}

plan::Timeline HsaDevice::take_timeline() { return log_->take(); }

}  // namespace conccl::backend::hsa
