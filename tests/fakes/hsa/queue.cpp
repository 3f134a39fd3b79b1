// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/queue.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "backend/hsa/kernel_args.hpp"
#include "tests/fakes/hsa/runtime.hpp"

namespace conccl::test::fake_hsa {
namespace {

constexpr std::chrono::milliseconds kLookAgain{10};
constexpr std::chrono::microseconds kLookSoon{20};

std::uint32_t type_of(std::uint16_t header) { return header & 0xFFU; }

/// A queue that works no more touches no signal.
void release(Signal* completion) {
  if (completion != nullptr) completion->release();
}

bool has_barrier(std::uint16_t header) { return (header >> HSA_PACKET_HEADER_BARRIER & 1U) != 0; }

std::size_t words_for(int units) { return (static_cast<std::size_t>(units) + 31) / 32; }

std::vector<std::uint32_t> first_units(int units, std::size_t words) {
  std::vector<std::uint32_t> mask(words);
  for (unsigned unit = 0; unit < static_cast<unsigned>(units); ++unit) {
    mask[unit / 32] |= 1U << unit % 32;
  }
  return mask;
}

std::int64_t count_units(const std::vector<std::uint32_t>& mask) {
  std::int64_t units = 0;
  for (const auto word : mask) units += std::popcount(word);
  return units;
}

Signal::Deadline next_look() { return std::chrono::steady_clock::now() + kLookAgain; }

}  // namespace

Queue::Queue(Runtime& runtime, const Agent& agent, std::uint32_t size, ErrorCallback callback)
    : runtime_(runtime),
      agent_(agent),
      callback_(callback),
      ring_(size),
      mask_(first_units(runtime.topology.usable_units(),
                        words_for(runtime.topology.compute_units()))) {
  static std::atomic<std::uint64_t> made{0};
  public_.type = HSA_QUEUE_TYPE_MULTI;
  public_.features = 1;
  public_.base_address = ring_.data();
  public_.doorbell_signal = signals().create(-1, SignalTable::Kind::doorbell);
  public_.size = size;
  public_.id = made.fetch_add(1);
  const std::uint16_t none = HSA_PACKET_TYPE_INVALID;
  for (auto& packet : ring_) std::memcpy(&packet, &none, sizeof none);
  thread_ = std::thread([this] { run(); });
}

Queue::~Queue() {
  stop();
  signals().destroy(public_.doorbell_signal, "hsa_queue_destroy");
}

void Queue::stop() {
  stopped_ = true;
  if (Signal* const doorbell = signals().find(public_.doorbell_signal)) {
    doorbell->store(std::numeric_limits<std::int64_t>::max());
  }
  if (thread_.joinable()) thread_.join();
}

hsa_status_t Queue::set_mask(std::span<const std::uint32_t> words) {
  auto mask = first_units(runtime_.topology.compute_units(), mask_.size());
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] &= i < words.size() ? words[i] : 0;
  if (count_units(mask) == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto asked = count_units(mask);
  const auto usable = first_units(runtime_.topology.usable_units(), mask_.size());
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] &= usable[i];
  const std::lock_guard lock(mask_mutex_);
  mask_ = mask;
  return count_units(mask) == asked ? HSA_STATUS_SUCCESS : HSA_STATUS_CU_MASK_REDUCED;
}

void Queue::get_mask(std::span<std::uint32_t> words) {
  const std::lock_guard lock(mask_mutex_);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i < mask_.size() ? mask_[i] : 0;
}

std::int64_t Queue::units() {
  const std::lock_guard lock(mask_mutex_);
  return count_units(mask_);
}

std::uint16_t Queue::header_at(std::uint64_t index) {
  auto* const header = reinterpret_cast<std::uint16_t*>(ring_[index % ring_.size()].bytes);
  return std::atomic_ref(*header).load(std::memory_order_acquire);
}

bool Queue::is_rung(std::uint64_t index) {
  if (stopped_) return false;
  const auto rung = signals().find(public_.doorbell_signal)->load();
  if (rung < static_cast<std::int64_t>(index)) return false;
  if (static_cast<std::uint64_t>(rung) - read_ >= ring_.size()) {
    die("doorbell", "it was rung for more packets than the queue holds");
  }
  return type_of(header_at(index)) != HSA_PACKET_TYPE_INVALID;
}

bool Queue::wait_for_packet() {
  Signal& doorbell = *signals().find(public_.doorbell_signal);
  const auto wanted = static_cast<std::int64_t>(read_.load());
  while (!stopped_) {
    if (doorbell.wait(HSA_SIGNAL_CONDITION_GTE, wanted, next_look()) < wanted) continue;
    if (is_rung(read_)) return !stopped_;
    // Several producers: the doorbell may be ahead of a packet.
    std::this_thread::sleep_for(kLookSoon);
  }
  return false;
}

void Queue::run() {
  bool works = true;
  while (works && wait_for_packet()) {
    switch (type_of(header_at(read_))) {
      case HSA_PACKET_TYPE_KERNEL_DISPATCH:
        works = run_dispatches();
        break;
      case HSA_PACKET_TYPE_BARRIER_AND:
        works = run_barrier();
        break;
      default:
        works = fail(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    }
  }
}

template <typename Made>
Made Queue::take() {
  Made packet;
  auto& place = ring_[read_ % ring_.size()];
  std::memcpy(&packet, &place, sizeof packet);
  auto* const header = reinterpret_cast<std::uint16_t*>(place.bytes);
  std::atomic_ref(*header).store(HSA_PACKET_TYPE_INVALID, std::memory_order_release);
  read_.fetch_add(1);
  return packet;
}

bool Queue::run_barrier() {
  const auto packet = take<hsa_barrier_and_packet_t>();
  Signal* completion = nullptr;
  if (packet.completion_signal.handle != 0) {
    completion = &signals().must_find(packet.completion_signal, "barrier packet's completion");
    completion->hold();
  }
  const auto start = ticks_now();
  for (const auto handle : packet.dep_signal) {
    if (handle.handle == 0) continue;
    Signal& signal = signals().must_find(handle, "barrier packet's dependency");
    signal.hold();
    bool met = false;
    while (!met && !stopped_) met = signal.wait(HSA_SIGNAL_CONDITION_EQ, 0, next_look()) == 0;
    signal.release();
    if (!met) {
      release(completion);
      return false;
    }
  }
  finish(completion, {start, ticks_now()});
  return true;
}

hsa_status_t Queue::check(Dispatch& dispatch) {
  const auto& packet = dispatch.packet;
  const auto dimensions = packet.setup & 3U;
  if (dimensions != 1 || packet.workgroup_size_x != backend::hsa::kWorkgroup ||
      packet.workgroup_size_y != 1 || packet.workgroup_size_z != 1 || packet.grid_size_x == 0 ||
      packet.grid_size_y != 1 || packet.grid_size_z != 1 || packet.kernarg_address == nullptr) {
    return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
  }
  const auto symbol = runtime_.code.symbol(packet.kernel_object);
  if (!symbol || symbol->agent != agent_.index) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  dispatch.kernel = symbol->kernel;
  if (packet.completion_signal.handle != 0) {
    dispatch.completion =
        &signals().must_find(packet.completion_signal, "kernel packet's completion");
    dispatch.completion->hold();
  }
  return HSA_STATUS_SUCCESS;
}

/// Told to overlap: those up to the next barrier, last first.
bool Queue::run_dispatches() {
  std::vector<Dispatch> taken;
  const bool overlap = settings().on(Setting::overlap);
  if (overlap) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  auto status = HSA_STATUS_SUCCESS;
  do {
    Dispatch dispatch;
    dispatch.packet = take<hsa_kernel_dispatch_packet_t>();
    status = check(dispatch);
    if (status == HSA_STATUS_SUCCESS) taken.push_back(dispatch);
  } while (status == HSA_STATUS_SUCCESS && overlap && is_rung(read_) &&
           type_of(header_at(read_)) == HSA_PACKET_TYPE_KERNEL_DISPATCH &&
           !has_barrier(header_at(read_)));
  for (; status == HSA_STATUS_SUCCESS && !taken.empty(); taken.pop_back()) {
    status = run_dispatch(taken.back());
    if (status != HSA_STATUS_SUCCESS) break;
  }
  for (const auto& dropped : taken) release(dropped.completion);
  return status == HSA_STATUS_SUCCESS || fail(status);
}

hsa_status_t Queue::run_dispatch(const Dispatch& dispatch) {
  const auto start = ticks_now();
  if (settings().strikes(Setting::kernel_fault_at)) return HSA_STATUS_ERROR_EXCEPTION;
  const auto status = run_kernel(dispatch);
  if (status != HSA_STATUS_SUCCESS) return status;
  counters().kernels.fetch_add(1);
  finish(dispatch.completion, {start, timed_ ? ticks_now() : 0});
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Queue::run_kernel(const Dispatch& dispatch) {
  Reach reach(runtime_.memory, agent_);
  try {
    reach.touch(dispatch.packet.kernarg_address, dispatch.kernel->argument_bytes);
    dispatch.kernel->run(dispatch.packet.kernarg_address, reach);
    return HSA_STATUS_SUCCESS;
  } catch (const KernelMemoryFault& fault) {
    runtime_.events.raise_memory_fault(agent_.handle, fault.address);
    return HSA_STATUS_ERROR_MEMORY_FAULT;
  } catch (const KernelException&) {
    return HSA_STATUS_ERROR_EXCEPTION;
  }
}

void Queue::finish(Signal* completion, Ticks ticks) {
  if (completion != nullptr) completion->finish(Outcome::done, Work::kernel, ticks);
}

/// The queue does no more work.
bool Queue::fail(hsa_status_t status) {
  if (callback_.function != nullptr) callback_.function(status, &public_, callback_.data);
  return false;
}

}  // namespace conccl::test::fake_hsa
