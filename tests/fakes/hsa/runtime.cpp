// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/runtime.hpp"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace conccl::test::fake_hsa {
namespace {

/// Of the process. Never destroyed: threads may still run at exit.
struct Life {
  std::mutex mutex;
  int opened = 0;
  std::unique_ptr<Runtime> runtime;
  std::atomic<Runtime*> open{nullptr};
  std::atomic<bool> inherited{false};  ///< this process was forked from one that had it open
};

Life& life() {
  static auto* const all = new Life;
  return *all;
}

void after_fork() {
  if (life().open.load() != nullptr) life().inherited = true;
}

bool variable_is(const char* name, std::string_view value) {
  const char* const found = std::getenv(name);
  return found != nullptr && value == found;
}

hsa_status_t start(Life& all) {
  static const int watched = ::pthread_atfork(nullptr, nullptr, after_fork);
  if (watched != 0) return HSA_STATUS_ERROR;
  if (const auto why = settings().reload(); !why.empty()) {
    std::fprintf(stderr, "HSA double: hsa_init: %s\n", why.c_str());
    return HSA_STATUS_ERROR;
  }
  const auto status = static_cast<hsa_status_t>(settings().get(Setting::init_status));
  if (status != HSA_STATUS_SUCCESS) return status;
  all.runtime.reset();
  signals().clear();
  counters().clear();
  all.runtime = std::make_unique<Runtime>();
  all.open = all.runtime.get();
  return HSA_STATUS_SUCCESS;
}

}  // namespace

void Lost::add(Signal& completion) {
  const std::lock_guard lock(mutex_);
  completions_.push_back(&completion);
}

void Lost::find() {
  const std::lock_guard lock(mutex_);
  for (auto* const each : completions_) each->finish(Outcome::done, Work::copy, {});
  completions_.clear();
}

void Counters::forget() {
  for (auto* const counter : {&copies, &cu_copies, &bytes, &kernels}) *counter = 0;
}

void Counters::clear() {
  forget();
  for (auto* const counter : {&running, &signals, &allocations, &imports, &locked, &queues}) {
    *counter = 0;
  }
}

Counters& counters() {
  static auto* const all = new Counters;
  return *all;
}

void SystemEvents::add(Handler handler, void* data) {
  const std::lock_guard lock(mutex_);
  handlers_.emplace_back(handler, data);
}

void SystemEvents::raise_memory_fault(hsa_agent_t agent, const void* address) {
  hsa_amd_event_t event{};
  event.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT;
  event.memory_fault.agent = agent;
  event.memory_fault.virtual_address = reinterpret_cast<std::uint64_t>(address);
  event.memory_fault.fault_reason_mask = 1;
  std::vector<std::pair<Handler, void*>> handlers;
  {
    const std::lock_guard lock(mutex_);
    handlers = handlers_;
  }
  bool taken = false;
  for (const auto& [handler, data] : handlers) {
    taken |= handler(&event, data) == HSA_STATUS_SUCCESS;
  }
  if (!taken) die("memory access fault by a GPU", "no system event handler took it");
}

Runtime::Runtime()
    : variables{!variable_is("HSA_ENABLE_SDMA", "0"), !variable_is("HSA_ENABLE_PEER_SDMA", "0"),
                variable_is("HSA_REV_COPY_DIR", "1"),
                !variable_is("HSA_ENABLE_SDMA_RECOMMENDED_ENG", "0")},
      memory(topology),
      engines(*this) {}

Runtime* runtime() {
  const auto& all = life();
  return all.inherited.load() ? nullptr : all.open.load();
}

Runtime* last_runtime() { return life().runtime.get(); }

CONCCL_FAKE_HSA_API hsa_status_t hsa_init() {
  auto& all = life();
  if (all.inherited) return HSA_STATUS_ERROR;
  const std::lock_guard lock(all.mutex);
  if (all.opened == 0) {
    const auto status = start(all);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  ++all.opened;
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_shut_down() {
  auto& all = life();
  if (runtime() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const std::lock_guard lock(all.mutex);
  if (all.opened == 0) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (--all.opened > 0) return HSA_STATUS_SUCCESS;
  all.open = nullptr;
  all.runtime->engines.stop();
  all.runtime->queues.stop();
  all.runtime->memory.clear();
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_register_system_event_handler(
    hsa_status_t (*callback)(const hsa_amd_event_t* event, void* data), void* data) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  all->events.add(callback, data);
  return HSA_STATUS_SUCCESS;
}

}  // namespace conccl::test::fake_hsa
