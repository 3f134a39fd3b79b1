// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/reach.hpp"

namespace conccl::backend::hsa {
namespace {

Reached reach_on_host(const std::shared_ptr<Runtime>& runtime, void* address, Bytes bytes,
                      std::vector<std::shared_ptr<void>>& holds) {
  const Calls& calls = runtime->calls();
  const auto cpu = runtime->host().agent;
  abi::hsa_amd_pointer_info_t info{};
  info.size = sizeof(info);
  const bool known = calls.hsa_amd_pointer_info(address, &info, nullptr, nullptr, nullptr) ==
                     abi::HSA_STATUS_SUCCESS;
  if (known && info.type == abi::HSA_EXT_POINTER_TYPE_HSA) return {address, cpu, -1};
  void* reached = nullptr;
  auto agents = runtime->agents();
  check(calls,
        calls.hsa_amd_memory_lock(address, bytes, agents.data(), static_cast<int>(agents.size()),
                                  &reached),
        {"hsa_amd_memory_lock", -1, bytes});
  holds.emplace_back(
      address, [runtime](void* locked) { (void)runtime->calls().hsa_amd_memory_unlock(locked); });
  return {reached, cpu, -1};
}

}  // namespace

Reached reach(const std::shared_ptr<Runtime>& runtime, const void* address, Bytes bytes,
              std::vector<std::shared_ptr<void>>& holds) {
  auto* const wanted = const_cast<void*>(address);
  const auto entry = Index::of_process()->at(address, *runtime);
  if (!entry) return reach_on_host(runtime, wanted, bytes, holds);
  holds.push_back(entry->allocation.memory.lock());
  return {wanted, runtime->gpu(entry->gpu).facts.agent, entry->gpu};
}

}  // namespace conccl::backend::hsa
