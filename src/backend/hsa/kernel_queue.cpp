// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/kernel_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

#include "backend/hsa/library.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::backend::hsa {
namespace {

constexpr int kWordBits = 32;

int unit_count(const Calls& calls, abi::hsa_agent_t agent, int gpu) {
  std::uint32_t count = 0;
  check(calls, calls.hsa_agent_get_info(agent, abi::HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &count),
        {"hsa_agent_get_info of the number of compute units", gpu});
  return static_cast<int>(count);
}

/// Keeps what a GPU may still use, where it can be reached, for the life of the process.
void keep_for_ever(std::shared_ptr<const Kernels> kernels, std::unique_ptr<AqlRing> ring) {
  struct Kept {
    std::shared_ptr<const Kernels> kernels;
    std::unique_ptr<AqlRing> ring;
  };
  static std::mutex mutex;
  static auto* const kept = new std::vector<Kept>;
  const std::lock_guard lock(mutex);
  kept->push_back({std::move(kernels), std::move(ring)});
}

}  // namespace

std::vector<std::uint32_t> unit_mask(std::span<const int> units, int count, int gpu) {
  std::vector<std::uint32_t> mask(static_cast<std::size_t>((count + kWordBits - 1) / kWordBits));
  for (const int unit : units) {
    if (unit < 0 || unit >= count) {
      throw InputError(
          fmt::format("compute unit {} of GPU {}: expected 0 .. {}", unit, gpu, count - 1));
    }
    mask[static_cast<std::size_t>(unit / kWordBits)] |= 1u << unit % kWordBits;
  }
  return mask;
}

KernelQueue::KernelQueue(const Calls& calls, abi::hsa_agent_t agent,
                         abi::hsa_amd_memory_pool_t kernarg_pool,
                         std::shared_ptr<const Kernels> kernels, KernelQueueSpec spec)
    : calls_(calls),
      agent_(agent),
      spec_(std::move(spec)),
      units_(unit_count(calls, agent, spec_.gpu)),
      kernels_(std::move(kernels)),
      ring_(std::make_unique<AqlRing>(calls, agent, kernarg_pool,
                                      AqlRingSpec{spec_.gpu, spec_.packets, kMostKernargBytes})) {
  if (!spec_.units.empty()) restrict_units();
  if (spec_.priority != abi::HSA_AMD_QUEUE_PRIORITY_NORMAL) {
    check(calls_, calls_.hsa_amd_queue_set_priority(ring_->native(), spec_.priority),
          {"hsa_amd_queue_set_priority", spec_.gpu});
  }
  if (spec_.timed) {
    check(calls_, calls_.hsa_amd_profiling_set_profiler_enabled(ring_->native(), 1),
          {"hsa_amd_profiling_set_profiler_enabled", spec_.gpu});
  }
}

KernelQueue::~KernelQueue() {
  if (drain(spec_.limit)) return;
  const std::string failed = failure();
  log(LogLevel::warning,
      fmt::format("kernels of GPU {}: {}: their memory is never freed", spec_.gpu,
                  failed.empty() ? "they did not end in time" : failed));
  keep_for_ever(std::move(kernels_), std::move(ring_));
}

/// The runtime may grant fewer: HSA_CU_MASK limits all queues.
void KernelQueue::restrict_units() {
  auto mask = unit_mask(spec_.units, units_, spec_.gpu);
  const auto bits = static_cast<std::uint32_t>(mask.size()) * kWordBits;
  const auto status = calls_.hsa_amd_queue_cu_set_mask(ring_->native(), bits, mask.data());
  if (status != abi::HSA_STATUS_CU_MASK_REDUCED) {
    check(calls_, status, {"hsa_amd_queue_cu_set_mask", spec_.gpu});
  }
  check(calls_, calls_.hsa_amd_queue_cu_get_mask(ring_->native(), bits, mask.data()),
        {"hsa_amd_queue_cu_get_mask", spec_.gpu});
  units_ = 0;
  for (const std::uint32_t word : mask) units_ += std::popcount(word);
  if (units_ > 0) return;
  throw Unavailable(fmt::format("GPU {}: a queue may use none of the {} compute units asked for",
                                spec_.gpu, spec_.units.size()));
}

AqlRing::Time KernelQueue::deadline() const {
  return std::chrono::steady_clock::now() + spec_.limit;
}

void KernelQueue::put(Kernel kernel, const Launch& launch, std::span<const std::byte> args) {
  ensure(launch.items > 0, "a kernel has work-items");
  const AqlRing::Time limit = deadline();
  if (!launch.after.empty()) put_barrier({}, launch.after, limit);
  const LoadedKernel& loaded = (*kernels_)[kernel];
  std::byte* const kernargs = ring_->take(limit);
  std::memcpy(kernargs, args.data(), args.size());
  std::memset(kernargs + args.size(), 0, loaded.kernarg_bytes - args.size());
  abi::hsa_kernel_dispatch_packet_t packet{};
  packet.header = abi::HSA_PACKET_TYPE_KERNEL_DISPATCH;
  packet.setup = 1;
  packet.workgroup_size_x = kWorkgroup;
  packet.workgroup_size_y = 1;
  packet.workgroup_size_z = 1;
  packet.grid_size_x = launch.items;
  packet.grid_size_y = 1;
  packet.grid_size_z = 1;
  packet.private_segment_size = loaded.private_bytes;
  packet.group_segment_size = loaded.group_bytes;
  packet.kernel_object = loaded.object;
  packet.kernarg_address = kernargs;
  packet.completion_signal = launch.completion;
  ring_->put(packet);
}

void KernelQueue::barrier(abi::hsa_signal_t completion, std::span<const abi::hsa_signal_t> after) {
  put_barrier(completion, after, deadline());
}

/// As many packets as the signals need; the last one completes.
void KernelQueue::put_barrier(abi::hsa_signal_t completion,
                              std::span<const abi::hsa_signal_t> after, AqlRing::Time deadline) {
  do {
    abi::hsa_barrier_and_packet_t packet{};
    packet.header = abi::HSA_PACKET_TYPE_BARRIER_AND;
    const auto now = after.first(std::min(after.size(), std::size(packet.dep_signal)));
    std::copy(now.begin(), now.end(), packet.dep_signal);
    after = after.subspan(now.size());
    if (after.empty()) packet.completion_signal = completion;
    (void)ring_->take(deadline);
    ring_->put(packet);
  } while (!after.empty());
}

bool KernelQueue::drain(std::chrono::nanoseconds limit) {
  return ring_->drain(std::chrono::steady_clock::now() + limit);
}

abi::hsa_amd_profiling_dispatch_time_t KernelQueue::times(abi::hsa_signal_t completion) const {
  abi::hsa_amd_profiling_dispatch_time_t time{};
  check(calls_, calls_.hsa_amd_profiling_get_dispatch_time(agent_, completion, &time),
        {"hsa_amd_profiling_get_dispatch_time", spec_.gpu});
  return time;
}

}  // namespace conccl::backend::hsa
