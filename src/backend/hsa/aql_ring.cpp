// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/aql_ring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <thread>

#include "backend/hsa/library.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kSlicesPerSecond = 100;
constexpr std::chrono::microseconds kPause{50};

}  // namespace

AqlRing::Signal::~Signal() {
  if (calls_ != nullptr) (void)calls_->hsa_signal_destroy(signal_);
}

void AqlRing::Signal::create(const Calls& calls, int gpu) {
  check(calls, calls.hsa_signal_create(0, 0, nullptr, &signal_), {"hsa_signal_create", gpu});
  calls_ = &calls;
}

AqlRing::AqlRing(const Calls& calls, abi::hsa_agent_t agent,
                 abi::hsa_amd_memory_pool_t kernarg_pool, const AqlRingSpec& spec)
    : calls_(calls),
      spec_(spec),
      kernargs_(nullptr, FreeMemory{&calls}),
      queue_(nullptr, DestroyQueue{&calls}) {
  std::uint64_t ticks_per_second = 0;
  check(calls_,
        calls_.hsa_system_get_info(abi::HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &ticks_per_second),
        {"hsa_system_get_info of the timestamp's frequency"});
  slice_ = std::max<std::uint64_t>(ticks_per_second / kSlicesPerSecond, 1);
  for (Signal& end : ends_) end.create(calls_, spec_.gpu);
  drained_.create(calls_, spec_.gpu);
  create_queue(agent);
  create_kernargs(agent, kernarg_pool);
}

void AqlRing::create_queue(abi::hsa_agent_t agent) {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  check(calls_, calls_.hsa_agent_get_info(agent, abi::HSA_AGENT_INFO_QUEUE_MIN_SIZE, &least),
        {"hsa_agent_get_info of the smallest queue", spec_.gpu});
  check(calls_, calls_.hsa_agent_get_info(agent, abi::HSA_AGENT_INFO_QUEUE_MAX_SIZE, &most),
        {"hsa_agent_get_info of the largest queue", spec_.gpu});
  const std::uint32_t floor = std::max<std::uint32_t>(least, 2 * kSegments);
  const std::uint32_t packets = std::max(floor, std::min(std::bit_ceil(spec_.packets), most));
  abi::hsa_queue_t* queue = nullptr;
  check(calls_,
        calls_.hsa_queue_create(agent, packets, abi::HSA_QUEUE_TYPE_SINGLE, on_error, this,
                                kUnknown, kUnknown, &queue),
        {"hsa_queue_create", spec_.gpu});
  queue_.reset(queue);
  size_ = queue->size;
  next_ = calls_.hsa_queue_load_write_index_relaxed(queue);
  finished_ = draining_ = next_;
}

void AqlRing::create_kernargs(abi::hsa_agent_t agent, abi::hsa_amd_memory_pool_t pool) {
  const Bytes bytes = size_ * spec_.kernarg_bytes;
  void* memory = nullptr;
  check(calls_, calls_.hsa_amd_memory_pool_allocate(pool, bytes, 0, &memory),
        {"hsa_amd_memory_pool_allocate for the arguments of kernels", spec_.gpu, bytes});
  kernargs_.reset(static_cast<std::byte*>(memory));
  check(calls_, calls_.hsa_amd_agents_allow_access(1, &agent, nullptr, memory),
        {"hsa_amd_agents_allow_access for the arguments of kernels", spec_.gpu, bytes});
}

std::byte* AqlRing::take(Time deadline) {
  if (!make_room(deadline)) refuse();
  return kernargs_.get() + next_ % size_ * spec_.kernarg_bytes;
}

/// Ends a segment of which only the last place is left.
bool AqlRing::make_room(Time deadline) {
  const std::uint64_t segment = size_ / kSegments;
  if (next_ % segment == segment - 1) {
    if (!reserve(deadline)) return false;
    put_barrier(ends_[next_ / segment % kSegments]);
  }
  return reserve(deadline);
}

/// Sees that the next place is free.
bool AqlRing::reserve(Time deadline) {
  const std::uint64_t segment = size_ / kSegments;
  if (next_ % segment == 0 && !wait_for(ends_[next_ / segment % kSegments], deadline)) return false;
  while (!has_room()) {
    if (failed() || Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  return !failed();
}

bool AqlRing::has_room() const {
  return next_ - calls_.hsa_queue_load_read_index_scacquire(queue_.get()) < size_;
}

void AqlRing::refuse() const {
  if (failed()) throw RunError(failure());
  throw RunError(
      fmt::format("GPU {}: its queue of kernels stayed full ({} packets, none of the "
                  "oldest {} completed in time)",
                  spec_.gpu, size_, size_ / kSegments));
}

void AqlRing::put_barrier(const Signal& completion) {
  calls_.hsa_signal_store_screlease(completion.get(), 1);
  abi::hsa_barrier_and_packet_t packet{};
  packet.header = abi::HSA_PACKET_TYPE_BARRIER_AND;
  packet.completion_signal = completion.get();
  put(packet);
}

std::uint16_t AqlRing::header_of(std::uint16_t type) {
  constexpr std::uint32_t kSystem = abi::HSA_FENCE_SCOPE_SYSTEM;
  return static_cast<std::uint16_t>(std::uint32_t{type} << abi::HSA_PACKET_HEADER_TYPE |
                                    1u << abi::HSA_PACKET_HEADER_BARRIER |
                                    kSystem << abi::HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                    kSystem << abi::HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

/// The first word, which makes the packet valid, is written when all else is there.
void AqlRing::publish(const std::array<std::byte, kPacketBytes>& packet) {
  constexpr std::size_t kFirst = sizeof(std::uint32_t);
  auto* const place = static_cast<std::byte*>(queue_->base_address) + next_ % size_ * kPacketBytes;
  std::memcpy(place + kFirst, packet.data() + kFirst, kPacketBytes - kFirst);
  std::uint32_t first = 0;
  std::memcpy(&first, packet.data(), kFirst);
  std::atomic_ref(*reinterpret_cast<std::uint32_t*>(place)).store(first, std::memory_order_release);
  const std::uint64_t index = next_++;
  calls_.hsa_queue_store_write_index_screlease(queue_.get(), next_);
  calls_.hsa_signal_store_screlease(queue_->doorbell_signal,
                                    static_cast<abi::hsa_signal_value_t>(index));
}

bool AqlRing::wait_for(const Signal& signal, Time deadline) const {
  while (true) {
    const auto value = calls_.hsa_signal_wait_scacquire(signal.get(), abi::HSA_SIGNAL_CONDITION_LT,
                                                        1, slice_, abi::HSA_WAIT_STATE_BLOCKED);
    if (value < 1) return true;
    if (failed() || Clock::now() >= deadline) return false;
  }
}

bool AqlRing::drain(Time deadline) {
  while (finished_ != next_) {
    if (finished_ == draining_) {
      if (!make_room(deadline)) return false;
      put_barrier(drained_);
      draining_ = next_;
    }
    if (!wait_for(drained_, deadline)) return false;
    finished_ = draining_;
  }
  return true;
}

void AqlRing::on_error(abi::hsa_status_t status, abi::hsa_queue_t* /*queue*/, void* ring) {
  std::uint32_t none = 0;
  (void)static_cast<AqlRing*>(ring)->failure_.compare_exchange_strong(
      none, static_cast<std::uint32_t>(status), std::memory_order_acq_rel);
}

std::string AqlRing::failure() const {
  const std::uint32_t status = failure_.load(std::memory_order_acquire);
  if (status == 0) return {};
  return fmt::format("GPU {}: its queue of kernels failed: {}", spec_.gpu,
                     text_of(calls_, static_cast<abi::hsa_status_t>(status)));
}

}  // namespace conccl::backend::hsa
