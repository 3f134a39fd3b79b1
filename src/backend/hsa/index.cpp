// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/index.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace conccl::backend::hsa {
namespace {

/// What the runtime says of an address.
struct Found {
  std::byte* base = nullptr;
  Bytes bytes = 0;
  int gpu = -1;                              ///< -1: not a GPU's memory
  std::vector<abi::hsa_agent_t> reached_by;  ///< agents that may access it
};

Found look_up(const void* address, const Runtime& runtime) {
  const Calls& calls = runtime.calls();
  abi::hsa_amd_pointer_info_t info{};
  info.size = sizeof(info);
  std::uint32_t count = 0;
  abi::hsa_agent_t* agents = nullptr;
  const auto status = calls.hsa_amd_pointer_info(address, &info, std::malloc, &count, &agents);
  const std::unique_ptr<abi::hsa_agent_t, decltype(&std::free)> owned(agents, std::free);
  if (status != abi::HSA_STATUS_SUCCESS || info.type != abi::HSA_EXT_POINTER_TYPE_HSA) return {};
  Found found{static_cast<std::byte*>(info.agentBaseAddress), info.sizeInBytes, -1, {}};
  for (std::size_t gpu = 0; gpu < runtime.gpu_count(); ++gpu) {
    if (runtime.agents()[gpu].handle == info.agentOwner.handle) found.gpu = static_cast<int>(gpu);
  }
  if (agents != nullptr) found.reached_by.assign(agents, agents + count);
  return found;
}

/// Its maker let its own GPU reach it; a collective needs all of them to.
void let_all_reach(Found& found, const Runtime& runtime) {
  for (const auto agent : runtime.agents_reaching(found.gpu)) {
    const bool reaches = std::ranges::any_of(
        found.reached_by, [agent](auto other) { return other.handle == agent.handle; });
    if (!reaches) found.reached_by.push_back(agent);
  }
  check(runtime.calls(),
        runtime.calls().hsa_amd_agents_allow_access(
            static_cast<std::uint32_t>(found.reached_by.size()), found.reached_by.data(), nullptr,
            found.base),
        {"hsa_amd_agents_allow_access", found.gpu, found.bytes});
}

}  // namespace

Index& Index::of_process() {
  static auto* const instance = new Index;  // memory may go after static objects have
  return *instance;
}

void Index::add(const std::shared_ptr<void>& memory, Bytes bytes, Maker maker, int gpu) {
  const std::lock_guard lock(mutex_);
  insert(memory, bytes, maker, gpu);
}

void Index::insert(const std::shared_ptr<void>& memory, Bytes bytes, Maker maker, int gpu) {
  auto* base = static_cast<std::byte*>(memory.get());
  const std::uint64_t id = maker == Maker::other_process ? 0 : ++last_id_;
  by_base_[base] = {{id, base, bytes, memory}, maker, gpu};
}

void Index::remove(const void* base) {
  const std::lock_guard lock(mutex_);
  by_base_.erase(static_cast<const std::byte*>(base));
}

std::optional<Index::Entry> Index::at(const void* address, Runtime& runtime) {
  const auto* wanted = static_cast<const std::byte*>(address);
  {
    const std::lock_guard lock(mutex_);
    if (const Entry* known = known_at(wanted)) return *known;
  }
  return ask(wanted, runtime);
}

std::optional<Index::Entry> Index::find(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [base, entry] : by_base_) {
    if (entry.allocation.id == id) return entry;
  }
  return std::nullopt;
}

const Index::Entry* Index::known_at(const std::byte* address) const {
  auto after = by_base_.upper_bound(address);
  if (after == by_base_.begin()) return nullptr;
  const Entry& entry = std::prev(after)->second;
  const auto distance = static_cast<Bytes>(address - entry.allocation.base);
  return distance < entry.allocation.bytes || distance == 0 ? &entry : nullptr;
}

std::optional<Index::Entry> Index::ask(const std::byte* address, Runtime& runtime) {
  Found found = look_up(address, runtime);
  // Without word of its end, an address could come to be another allocation's unnoticed.
  if (found.gpu < 0 || runtime.calls().hsa_amd_register_deallocation_callback == nullptr) {
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  if (const Entry* known = known_at(address)) return *known;
  // What lies beyond the asked-for bytes of this backend's own allocations is nobody's.
  if (known_at(found.base) != nullptr) return std::nullopt;
  let_all_reach(found, runtime);
  check(runtime.calls(),
        runtime.calls().hsa_amd_register_deallocation_callback(found.base, on_freed, this),
        {"hsa_amd_register_deallocation_callback", found.gpu, found.bytes});
  // Owns nothing: its end is the allocation's.
  const std::shared_ptr<void> alive(found.base, [](void*) {});
  alive_[found.base] = alive;
  insert(alive, found.bytes, Maker::elsewhere, found.gpu);
  return by_base_.at(found.base);
}

void Index::on_freed(void* base, void* data) {
  auto& index = *static_cast<Index*>(data);
  const std::lock_guard lock(index.mutex_);
  index.by_base_.erase(static_cast<const std::byte*>(base));
  index.alive_.erase(static_cast<const std::byte*>(base));
}

}  // namespace conccl::backend::hsa
