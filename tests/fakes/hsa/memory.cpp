// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/fakes/hsa/memory_file.hpp"
#include "tests/fakes/hsa/runtime.hpp"

namespace conccl::test::fake_hsa {
namespace {

/// Whether this process has memory there.
bool is_mapped(const void* address, std::size_t bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(address) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(address) + bytes;
  std::vector<unsigned char> pages((end - first + page - 1) / page);
  return ::mincore(reinterpret_cast<void*>(first), end - first, pages.data()) == 0;
}

}  // namespace

Allocation::~Allocation() {
  if (mapped != 0) ::munmap(base, mapped);
  if (file >= 0) ::close(file);
}

AgentSet Memory::always(int owner) const {
  const Agent& agent = topology_.agents()[static_cast<std::size_t>(owner)];
  if (agent.is_gpu()) return agent.bit();
  AgentSet cpus = 0;
  for (const auto& other : topology_.agents()) {
    if (!other.is_gpu()) cpus |= other.bit();
  }
  return cpus;
}

hsa_status_t Memory::allocate(const Pool& pool, std::size_t bytes, void** pointer) {
  if (!pool.global || bytes > topology_.pool_bytes()) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const std::lock_guard lock(mutex_);
  auto& used = used_[pool.handle.handle];
  if (settings().on(Setting::refuse_allocation) || used + bytes > topology_.pool_bytes()) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  auto made = std::make_shared<Allocation>();
  made->bytes = bytes;
  made->owner = pool.agent;
  made->pool = &pool;
  made->access = always(pool.agent);
  made->id = new_file_id();
  made->file = make_file(made->id, bytes);
  if (!map_file(*made)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  used += bytes;
  counters().allocations.fetch_add(1);
  *pointer = made->base;
  all_[made->base] = std::move(made);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::tell_when_freed(const void* base, FreedCallback callback) {
  const std::lock_guard lock(mutex_);
  const auto found = at(base, Origin::pool);
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  found->on_freed.push_back(callback);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::free(void* base) {
  std::vector<FreedCallback> told;
  {
    const std::lock_guard lock(mutex_);
    const auto found = at(base, Origin::pool);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    told = std::move(found->on_freed);
  }
  for (const auto& each : told) each.call(base, each.data);
  const std::lock_guard lock(mutex_);
  const auto found = at(base, Origin::pool);
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  used_[found->pool->handle.handle] -= found->bytes;
  ::close(found->file);
  found->file = -1;
  all_.erase(found->base);
  counters().allocations.fetch_sub(1);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::allow(const void* base, AgentSet agents) {
  const std::lock_guard lock(mutex_);
  if (const auto imported = at(base, Origin::import)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto found = at(base, Origin::pool);
  if (found == nullptr || settings().on(Setting::deny_access)) return HSA_STATUS_ERROR;
  for (const auto& agent : topology_.agents()) {
    const bool listed = (agents & agent.bit()) != 0;
    if (listed &&
        topology_.access(agent, *found->pool) == HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED) {
      return HSA_STATUS_ERROR;
    }
  }
  found->access = agents | always(found->owner);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::lock(void* host, std::size_t bytes, AgentSet agents) {
  if (!is_mapped(host, bytes)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const std::lock_guard lock(mutex_);
  if (const auto same = at(host, Origin::host); same != nullptr && same->bytes == bytes) {
    same->access |= agents;
    ++same->locks;
  } else {
    if (holding(host) != nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto made = std::make_shared<Allocation>();
    made->base = static_cast<std::byte*>(host);
    made->bytes = bytes;
    made->origin = Origin::host;
    made->access = agents | always(0);
    made->locks = 1;
    all_[made->base] = std::move(made);
  }
  counters().locked.fetch_add(1);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::unlock(void* host) {
  const std::lock_guard lock(mutex_);
  const auto found = at(host, Origin::host);
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (--found->locks == 0) all_.erase(found->base);
  counters().locked.fetch_sub(1);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::export_to(const void* base, std::size_t bytes,
                               hsa_amd_ipc_memory_t& handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = at(base, Origin::pool);
  const bool whole = found != nullptr && found->bytes == bytes;
  if (!whole || !topology_.agents()[static_cast<std::size_t>(found->owner)].is_gpu()) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  handle = write_handle(*found);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::import(const hsa_amd_ipc_memory_t& handle, std::size_t bytes, AgentSet agents,
                            void** pointer) {
  if (settings().on(Setting::attach_fails)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  auto made = std::make_shared<Allocation>();
  made->origin = Origin::import;
  made->access = agents;
  const bool exists = read_handle(handle, *made) && made->bytes == bytes &&
                      static_cast<std::size_t>(made->owner) < topology_.agents().size();
  if (!exists || !map_file(*made)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const std::lock_guard lock(mutex_);
  counters().imports.fetch_add(1);
  *pointer = made->base;
  all_[made->base] = std::move(made);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Memory::detach(void* base) {
  const std::lock_guard lock(mutex_);
  const auto found = at(base, Origin::import);
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  all_.erase(found->base);
  counters().imports.fetch_sub(1);
  return HSA_STATUS_SUCCESS;
}

void Memory::clear() {
  const std::lock_guard lock(mutex_);
  all_.clear();
  used_.clear();
}

std::shared_ptr<Allocation> Memory::holding(const void* address) const {
  const auto* const wanted = static_cast<const std::byte*>(address);
  auto after = all_.upper_bound(wanted);
  if (after == all_.begin()) return nullptr;
  const auto& found = (--after)->second;
  return wanted < found->base + found->bytes ? found : nullptr;
}

std::shared_ptr<Allocation> Memory::at(const void* base, Origin origin) const {
  const auto found = all_.find(static_cast<const std::byte*>(base));
  return found != all_.end() && found->second->origin == origin ? found->second : nullptr;
}

std::shared_ptr<const Allocation> Memory::find(const void* address) const {
  const std::lock_guard lock(mutex_);
  return holding(address);
}

std::shared_ptr<const Allocation> Memory::reach(const Agent& agent, const void* address,
                                                std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  auto found = holding(address);
  if (found == nullptr || (found->access & agent.bit()) == 0) return nullptr;
  const auto before =
      static_cast<std::size_t>(static_cast<const std::byte*>(address) - found->base);
  return bytes <= found->bytes - before ? found : nullptr;
}

AgentSet Memory::access_of(const Allocation& allocation) const {
  const std::lock_guard lock(mutex_);
  return allocation.access;
}

}  // namespace conccl::test::fake_hsa
