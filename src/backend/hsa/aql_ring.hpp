// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `AqlRing`: a queue of packets that a GPU takes its kernels from, and memory for their arguments.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "backend/hsa/calls.hpp"

namespace conccl::backend::hsa {

struct AqlRingSpec {
  int gpu = 0;                        ///< for errors
  std::uint32_t packets = 256;        ///< the next power of two within what the agent can do
  std::uint32_t kernarg_bytes = 512;  ///< of each packet, a multiple of 64
};

/// Every packet starts after those before it have completed; its fences are of system scope.
/// Calls come from one thread at a time, but for `failure`.
///
/// A place is used again only when its packet is known to have completed: the ring is in segments,
/// each ends with a barrier packet that completes after all before it, on a signal of the ring's
/// own. That packets have been taken from the ring says nothing of their arguments.
class AqlRing {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `kernarg_pool` is one whose memory the agent can be given access to. `calls` must outlive it.
  AqlRing(const Calls& calls, abi::hsa_agent_t agent, abi::hsa_amd_memory_pool_t kernarg_pool,
          const AqlRingSpec& spec);
  /// Nothing may run any more.
  ~AqlRing() = default;
  AqlRing(const AqlRing&) = delete;
  AqlRing& operator=(const AqlRing&) = delete;

  /// Waits for a place and returns its memory for arguments. Throws RunError when there is none by
  /// `deadline`, or the queue has failed.
  [[nodiscard]] std::byte* take(Time deadline);
  /// Puts a packet into the place last taken. Its type is all that its header need say.
  template <typename Packet>
  void put(Packet packet) {
    static_assert(sizeof(Packet) == kPacketBytes);
    packet.header = header_of(packet.header);
    std::array<std::byte, kPacketBytes> bytes;
    std::memcpy(bytes.data(), &packet, kPacketBytes);
    publish(bytes);
  }

  /// Waits until all that was put has completed; false: not by `deadline`, or the queue failed.
  [[nodiscard]] bool drain(Time deadline);

  /// The first error that the runtime reported of the queue; empty: none. Any thread may call it.
  [[nodiscard]] std::string failure() const;

  [[nodiscard]] abi::hsa_queue_t* native() const { return queue_.get(); }

 private:
  static constexpr std::size_t kPacketBytes = 64;
  static constexpr std::uint64_t kSegments = 4;

  struct FreeMemory {
    const Calls* calls;
    void operator()(std::byte* memory) const { (void)calls->hsa_amd_memory_pool_free(memory); }
  };
  struct DestroyQueue {
    const Calls* calls;
    void operator()(abi::hsa_queue_t* queue) const { (void)calls->hsa_queue_destroy(queue); }
  };
  class Signal {
   public:
    Signal() = default;
    ~Signal();
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;
    void create(const Calls& calls, int gpu);
    [[nodiscard]] abi::hsa_signal_t get() const { return signal_; }

   private:
    const Calls* calls_ = nullptr;
    abi::hsa_signal_t signal_{};
  };

  static std::uint16_t header_of(std::uint16_t type);
  static void on_error(abi::hsa_status_t status, abi::hsa_queue_t* queue, void* ring);

  void create_queue(abi::hsa_agent_t agent);
  void create_kernargs(abi::hsa_agent_t agent, abi::hsa_amd_memory_pool_t pool);
  [[nodiscard]] bool make_room(Time deadline);
  [[nodiscard]] bool reserve(Time deadline);
  void put_barrier(const Signal& completion);
  void publish(const std::array<std::byte, kPacketBytes>& packet);
  [[nodiscard]] bool wait_for(const Signal& signal, Time deadline) const;
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] bool failed() const { return failure_.load(std::memory_order_acquire) != 0; }
  [[noreturn]] void refuse() const;

  const Calls& calls_;
  AqlRingSpec spec_;
  std::uint64_t slice_ = 1;  ///< ticks of one wait, so that a failure is noticed
  std::atomic<std::uint32_t> failure_{0};
  std::unique_ptr<std::byte, FreeMemory> kernargs_;
  std::array<Signal, kSegments> ends_;  ///< 0: nothing of the segment runs
  Signal drained_;
  std::unique_ptr<abi::hsa_queue_t, DestroyQueue> queue_;
  std::uint64_t size_ = 0;      ///< packets
  std::uint64_t next_ = 0;      ///< index of the next packet
  std::uint64_t draining_ = 0;  ///< `drained_` tells of the packets before this index
  std::uint64_t finished_ = 0;  ///< packets before this index have completed
};

}  // namespace conccl::backend::hsa
