// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A queue of kernels: a ring of packets, a doorbell, and the thread that works the packets off.
#pragma once

#include <optional>
#include <thread>
#include <vector>

#include "tests/fakes/hsa/kernels.hpp"

namespace conccl::test::fake_hsa {

struct Runtime;

inline constexpr std::uint32_t kFewestPackets = 64;
inline constexpr std::uint32_t kMostPackets = 131'072;

/// Where a queue's errors go.
struct ErrorCallback {
  void (*function)(hsa_status_t status, hsa_queue_t* source, void* data) = nullptr;
  void* data = nullptr;
};

class Queue {
 public:
  /// `agent` is a GPU; `size` a power of two.
  Queue(Runtime& runtime, const Agent& agent, std::uint32_t size, ErrorCallback callback);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  [[nodiscard]] hsa_queue_t* handle() { return &public_; }
  [[nodiscard]] std::uint64_t read_index() const { return read_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t write_index() const { return write_.load(std::memory_order_relaxed); }
  void set_write_index(std::uint64_t value) { write_.store(value, std::memory_order_release); }

  hsa_status_t set_mask(std::span<const std::uint32_t> words);
  void get_mask(std::span<std::uint32_t> words);
  [[nodiscard]] std::int64_t units();
  void set_priority(hsa_amd_queue_priority_t priority) { priority_ = priority; }
  [[nodiscard]] std::int64_t priority() const { return priority_.load(); }
  void time_kernels(bool on) { timed_ = on; }
  /// Ends a packet that waits; not for the thread of the queue itself.
  void stop();

 private:
  struct alignas(64) Packet {
    std::byte bytes[64];
  };
  /// A dispatch taken from the ring.
  struct Dispatch {
    hsa_kernel_dispatch_packet_t packet{};
    const Kernel* kernel = nullptr;
    Signal* completion = nullptr;
  };

  void run();
  [[nodiscard]] bool wait_for_packet();
  [[nodiscard]] std::uint16_t header_at(std::uint64_t index);
  [[nodiscard]] bool is_rung(std::uint64_t index);
  template <typename Made>
  [[nodiscard]] Made take();
  /// False when the queue has failed or is stopped.
  [[nodiscard]] bool run_barrier();
  [[nodiscard]] bool run_dispatches();
  [[nodiscard]] hsa_status_t run_dispatch(const Dispatch& dispatch);
  [[nodiscard]] hsa_status_t run_kernel(const Dispatch& dispatch);
  [[nodiscard]] hsa_status_t check(Dispatch& dispatch);
  bool fail(hsa_status_t status);
  void finish(Signal* completion, Ticks ticks);

  Runtime& runtime_;
  const Agent& agent_;
  const ErrorCallback callback_;
  std::vector<Packet> ring_;
  hsa_queue_t public_{};
  std::atomic<std::uint64_t> read_{0};
  std::atomic<std::uint64_t> write_{0};
  std::atomic<std::int64_t> priority_{HSA_AMD_QUEUE_PRIORITY_NORMAL};
  std::atomic<bool> timed_{false};
  std::atomic<bool> stopped_{false};
  std::mutex mask_mutex_;
  std::vector<std::uint32_t> mask_;
  std::thread thread_;
};

}  // namespace conccl::test::fake_hsa
