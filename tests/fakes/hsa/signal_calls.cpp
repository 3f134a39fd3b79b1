// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "tests/fakes/hsa/runtime.hpp"

namespace conccl::test::fake_hsa {
namespace {

Signal::Deadline deadline(std::uint64_t ticks) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t kTick = 1'000'000'000 / kTicksPerSecond;
  constexpr std::uint64_t kLongest = std::uint64_t{1} << 60U;
  if (ticks > kLongest / kTick) return Clock::time_point::max();
  return Clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(ticks * kTick));
}

/// The calls below have no status to answer with.
Signal& signal_for(hsa_signal_t handle, const char* call) {
  if (runtime() == nullptr) die(call, "the runtime is not initialised");
  return signals().must_find(handle, call);
}

}  // namespace

CONCCL_FAKE_HSA_API hsa_status_t hsa_signal_create(hsa_signal_value_t initial, std::uint32_t count,
                                                   const hsa_agent_t* consumers,
                                                   hsa_signal_t* signal) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (signal == nullptr || (count > 0 && consumers == nullptr)) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  AgentSet set = 0;
  if (count > 0 && !all->topology.set_of(consumers, count, set)) {
    return HSA_STATUS_ERROR_INVALID_AGENT;
  }
  *signal = signals().create(initial, SignalTable::Kind::plain);
  counters().signals.fetch_add(1);
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
  if (runtime() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (signal.handle == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!signals().destroy(signal, "hsa_signal_destroy")) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  counters().signals.fetch_sub(1);
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t signal) {
  return signal_for(signal, "hsa_signal_load_scacquire").load();
}

CONCCL_FAKE_HSA_API void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  signal_for(signal, "hsa_signal_store_screlease").store(value);
}

CONCCL_FAKE_HSA_API hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal,
                                                                 hsa_signal_condition_t condition,
                                                                 hsa_signal_value_t compare,
                                                                 std::uint64_t timeout,
                                                                 hsa_wait_state_t) {
  return signal_for(signal, "hsa_signal_wait_scacquire")
      .wait(condition, compare, deadline(timeout));
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  all->time_copies = enable;
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_profiling_get_async_copy_time(
    hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t* time) {
  if (runtime() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (time == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Signal* const found = signals().find(signal);
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  const auto ticks = found->ticks(Work::copy);
  if (ticks.end == 0) return HSA_STATUS_ERROR;
  *time = {ticks.start, ticks.end};
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_profiling_get_dispatch_time(
    hsa_agent_t agent, hsa_signal_t signal, hsa_amd_profiling_dispatch_time_t* time) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (time == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (all->topology.find(agent) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
  Signal* const found = signals().find(signal);
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  const auto ticks = found->ticks(Work::kernel);
  if (ticks.end == 0) return HSA_STATUS_ERROR;
  *time = {ticks.start, ticks.end};
  return HSA_STATUS_SUCCESS;
}

}  // namespace conccl::test::fake_hsa
