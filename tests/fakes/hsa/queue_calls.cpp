// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>
#include <utility>

#include "tests/fakes/hsa/runtime.hpp"

namespace conccl::test::fake_hsa {

hsa_queue_t* Queues::add(std::shared_ptr<Queue> queue) {
  const std::lock_guard lock(mutex_);
  hsa_queue_t* const handle = queue->handle();
  in_order_[made_++] = queue;
  queues_[handle] = std::move(queue);
  return handle;
}

std::shared_ptr<Queue> Queues::find(const hsa_queue_t* handle) {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(handle);
  return found == queues_.end() ? nullptr : found->second;
}

std::shared_ptr<Queue> Queues::find(std::int64_t nth) {
  const std::lock_guard lock(mutex_);
  const auto found = in_order_.find(nth);
  return found == in_order_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<Queue> Queues::remove(const hsa_queue_t* handle) {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(handle);
  if (found == queues_.end()) return nullptr;
  auto queue = std::move(found->second);
  queues_.erase(found);
  return queue;
}

void Queues::stop() {
  const std::lock_guard lock(mutex_);
  for (auto& [handle, queue] : queues_) queue->stop();
}

namespace {

/// For calls that have no status to answer with.
std::shared_ptr<Queue> queue_for(const hsa_queue_t* handle, const char* call) {
  Runtime* const all = runtime();
  auto queue = all != nullptr ? all->queues.find(handle) : nullptr;
  if (queue == nullptr) die(call, "the queue does not exist (any more)");
  return queue;
}

/// For those that have; the queue, or null and what to answer.
std::shared_ptr<Queue> queue_or_status(const hsa_queue_t* handle, hsa_status_t& status) {
  Runtime* const all = runtime();
  status = HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (all == nullptr) return nullptr;
  auto queue = all->queues.find(handle);
  status = queue != nullptr ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_QUEUE;
  return queue;
}

bool is_mask(std::uint32_t bits, const std::uint32_t* mask) {
  return bits != 0 && bits % 32 == 0 && mask != nullptr;
}

}  // namespace

CONCCL_FAKE_HSA_API hsa_status_t
hsa_queue_create(hsa_agent_t agent_handle, std::uint32_t size, hsa_queue_type32_t type,
                 void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data), void* data,
                 std::uint32_t, std::uint32_t, hsa_queue_t** queue) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const bool sized = std::has_single_bit(size) && size >= kFewestPackets && size <= kMostPackets;
  const bool typed = type == HSA_QUEUE_TYPE_MULTI || type == HSA_QUEUE_TYPE_SINGLE;
  if (queue == nullptr || !sized || !typed) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const Agent* const agent = all->topology.find(agent_handle);
  if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!agent->is_gpu()) return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
  if (settings().on(Setting::queue_fails)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  auto made = std::make_shared<Queue>(*all, *agent, size, ErrorCallback{callback, data});
  made->handle()->type = type;
  *queue = all->queues.add(std::move(made));
  counters().queues.fetch_add(1);
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_queue_destroy(hsa_queue_t* handle) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const auto queue = all->queues.remove(handle);
  if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
  queue->stop();
  counters().queues.fetch_sub(1);
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API std::uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t* handle) {
  return queue_for(handle, "hsa_queue_load_read_index_scacquire")->read_index();
}

CONCCL_FAKE_HSA_API std::uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t* handle) {
  return queue_for(handle, "hsa_queue_load_write_index_relaxed")->write_index();
}

CONCCL_FAKE_HSA_API void hsa_queue_store_write_index_screlease(const hsa_queue_t* handle,
                                                               std::uint64_t value) {
  queue_for(handle, "hsa_queue_store_write_index_screlease")->set_write_index(value);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* handle,
                                                           std::uint32_t bits,
                                                           const std::uint32_t* mask) {
  hsa_status_t status{};
  const auto queue = queue_or_status(handle, status);
  if (queue == nullptr) return status;
  if (!is_mask(bits, mask)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return queue->set_mask({mask, bits / 32});
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* handle,
                                                           std::uint32_t bits,
                                                           std::uint32_t* mask) {
  hsa_status_t status{};
  const auto queue = queue_or_status(handle, status);
  if (queue == nullptr) return status;
  if (!is_mask(bits, mask)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  queue->get_mask({mask, bits / 32});
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* handle,
                                                            hsa_amd_queue_priority_t priority) {
  hsa_status_t status{};
  const auto queue = queue_or_status(handle, status);
  if (queue == nullptr) return status;
  if (priority > HSA_AMD_QUEUE_PRIORITY_HIGH) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  queue->set_priority(priority);
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* handle,
                                                                        int enable) {
  hsa_status_t status{};
  const auto queue = queue_or_status(handle, status);
  if (queue == nullptr) return status;
  queue->time_kernels(enable != 0);
  return HSA_STATUS_SUCCESS;
}

}  // namespace conccl::test::fake_hsa
