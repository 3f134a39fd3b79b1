// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/runtime.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <utility>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::backend::hsa {
namespace {

using SteadyClock = std::chrono::steady_clock;

// A wait spins this long, then sleeps.
constexpr std::chrono::microseconds kSpin{200};
constexpr std::chrono::milliseconds kSleep{50};
constexpr std::chrono::seconds kGrace{1};
constexpr double kSlowestGbps = 0.1;

std::mutex& open_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::weak_ptr<Runtime>& opened() {
  static std::weak_ptr<Runtime> runtime;
  return runtime;
}

/// The GPUs that faults are told to.
struct Listening {
  std::mutex mutex;
  std::span<const std::unique_ptr<Gpu>> gpus;
};

Listening& listening() {
  static Listening instance;
  return instance;
}

void listen(std::span<const std::unique_ptr<Gpu>> gpus) {
  const std::lock_guard lock(listening().mutex);
  listening().gpus = gpus;
}

/// Another runtime may have been opened since.
void stop_listening(std::span<const std::unique_ptr<Gpu>> gpus) {
  const std::lock_guard lock(listening().mutex);
  if (listening().gpus.data() == gpus.data()) listening().gpus = {};
}

abi::hsa_status_t on_event(const abi::hsa_amd_event_t* event, void* /*data*/) {
  if (event == nullptr || event->event_type != abi::HSA_AMD_GPU_MEMORY_FAULT_EVENT) {
    return abi::HSA_STATUS_ERROR;
  }
  const auto& fault = event->memory_fault;
  // Success keeps the runtime from ending the process: only where somebody hears of the fault.
  auto heard = abi::HSA_STATUS_ERROR;
  const std::lock_guard lock(listening().mutex);
  for (const auto& gpu : listening().gpus) {
    if (gpu->facts.agent.handle != fault.agent.handle) continue;
    heard = abi::HSA_STATUS_SUCCESS;
    const auto what = fmt::format("GPU {}: memory fault at address 0x{:x} (reasons 0x{:x})",
                                  gpu->facts.index, fault.virtual_address, fault.fault_reason_mask);
    log(LogLevel::warning, "hsa: " + what);
    gpu->failure.declare(what);
  }
  return heard;
}

Library library_with_calls() {
  Library library = open_library();
  demand_calls(library);
  return library;
}

void initialise(const Library& library) {
  const auto status = library.calls.hsa_init();
  if (status == abi::HSA_STATUS_SUCCESS) return;
  // What it says where the driver has no device to open.
  const bool none = status == abi::HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  throw Unavailable(fmt::format("{}{}: hsa_init: {}", none ? "no device: " : "", library.path,
                                text_of(library.calls, status)));
}

}  // namespace

std::shared_ptr<Runtime> Runtime::open() {
  const std::lock_guard lock(open_mutex());
  if (auto runtime = opened().lock()) {
    // Late copies hold the runtime through the memory that they use.
    (void)runtime->overdue().collect();
    if (runtime.use_count() > 1) return runtime;
  }
  std::shared_ptr<Runtime> runtime(new Runtime());
  opened() = runtime;
  return runtime;
}

Runtime::Runtime()
    : library_(library_with_calls()), settings_(settings_from_environment()), process_(getpid()) {
  initialise(library_);
  try {
    AgentFacts found = probe_agents(calls());
    host_ = found.host;
    left_out_ = found.left_out;
    for (const GpuFacts& facts : found.gpus) {
      const auto question = engine_question(calls(), found.gpus, facts.index, settings_.engines);
      gpus_.push_back(std::make_unique<Gpu>(facts, choose_engines(question)));
      agents_.push_back(facts.agent);
    }
    clock_ = std::make_unique<Clock>(calls());
  } catch (...) {
    (void)calls().hsa_shut_down();
    throw;
  }
  signals_ = std::make_unique<SignalPool>(calls());
  overdue_ = std::make_unique<Overdue>(calls());
  listen(gpus_);
  hears_faults_ =
      calls().hsa_amd_register_system_event_handler(on_event, nullptr) == abi::HSA_STATUS_SUCCESS;
}

Runtime::~Runtime() {
  stop_listening(gpus_);
  const bool all_ended = overdue_->collect();
  overdue_.reset();
  // A late copy still writes its signal, which goes with the pool and with the runtime.
  if (!all_ended) {
    // NOLINTNEXTLINE(bugprone-unused-return-value): kept for good.
    (void)signals_.release();
    return;
  }
  gpus_.clear();
  signals_.reset();
  (void)calls().hsa_shut_down();
}

void Runtime::demand_same_process(const char* operation) const {
  if (getpid() == process_) return;
  throw RunError(
      fmt::format("{}: in process {}, which was forked from the one that opened the HSA runtime "
                  "({}); exec, or open it after the fork",
                  operation, getpid(), process_));
}

std::optional<abi::hsa_signal_value_t> Runtime::await(abi::hsa_signal_t signal, const Gpu& gpu,
                                                      SteadyClock::time_point until) const {
  const auto spin_until = SteadyClock::now() + kSpin;
  bool shortened = false;
  for (;;) {
    const auto now = SteadyClock::now();
    const bool spin = now < spin_until;
    const std::chrono::nanoseconds left = until - now;
    const auto slice = std::clamp<std::chrono::nanoseconds>(left, kSpin, spin ? kSpin : kSleep);
    const auto value = calls().hsa_signal_wait_scacquire(
        signal, abi::HSA_SIGNAL_CONDITION_LT, 1, clock_->ticks_of(slice),
        spin ? abi::HSA_WAIT_STATE_ACTIVE : abi::HSA_WAIT_STATE_BLOCKED);
    if (value < 1) return value;
    if (now >= until) return std::nullopt;
    if (gpu.failure.declared() && !shortened) {
      until = std::min(until, now + kGrace);
      shortened = true;
    }
  }
}

std::chrono::nanoseconds Runtime::time_for(Bytes bytes) const {
  const auto moving = static_cast<double>(bytes) / kSlowestGbps;
  return settings_.deadline + std::chrono::nanoseconds(static_cast<std::int64_t>(moving));
}

void Runtime::keep_copy_times() {
  std::call_once(times_asked_for_, [this] {
    const auto enable = calls().hsa_amd_profiling_async_copy_enable;
    if (enable != nullptr) (void)enable(true);
  });
}

std::vector<abi::hsa_agent_t> Runtime::agents_reaching(int gpu) const {
  std::vector<abi::hsa_agent_t> agents;
  for (const auto& each : gpus_) {
    if (std::ranges::count(each->facts.unreachable, gpu) == 0) agents.push_back(each->facts.agent);
  }
  return agents;
}

}  // namespace conccl::backend::hsa
