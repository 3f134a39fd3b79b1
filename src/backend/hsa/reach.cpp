// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/reach.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace conccl::backend::hsa {
namespace {

/// Memory of the host that the runtime has made reachable, until the last owner lets go.
struct Pin {
  Pin(std::shared_ptr<Runtime> held, void* address, Bytes length)
      : runtime(std::move(held)), base(static_cast<std::byte*>(address)), bytes(length) {
    auto agents = runtime->agents();
    void* pointer = nullptr;
    check(runtime->calls(),
          runtime->calls().hsa_amd_memory_lock(base, bytes, agents.data(),
                                               static_cast<int>(agents.size()), &pointer),
          {"hsa_amd_memory_lock", -1, bytes});
    reached = static_cast<std::byte*>(pointer);
  }
  ~Pin() { (void)runtime->calls().hsa_amd_memory_unlock(base); }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;

  std::shared_ptr<Runtime> runtime;
  std::byte* base;
  Bytes bytes;
  std::byte* reached = nullptr;
};

/// Those of this process: copies of one buffer that are under way at a time share one.
class Pins {
 public:
  static Pins& of_process() {
    static Pins instance;
    return instance;
  }

  std::shared_ptr<Pin> get(const std::shared_ptr<Runtime>& runtime, void* address, Bytes bytes) {
    const auto* const wanted = static_cast<std::byte*>(address);
    const std::lock_guard lock(mutex_);
    std::erase_if(pins_, [](const auto& each) { return each.second.expired(); });
    auto after = pins_.upper_bound(wanted);
    if (after != pins_.begin()) {
      auto pin = std::prev(after)->second.lock();
      if (pin && wanted + bytes <= pin->base + pin->bytes) return pin;
    }
    auto pin = std::make_shared<Pin>(runtime, address, bytes);
    pins_[wanted] = pin;
    return pin;
  }

 private:
  std::mutex mutex_;
  std::map<const std::byte*, std::weak_ptr<Pin>> pins_;
};

Reached reach_on_host(const std::shared_ptr<Runtime>& runtime, void* address, Bytes bytes,
                      std::vector<std::shared_ptr<void>>& holds) {
  const auto cpu = runtime->host().agent;
  abi::hsa_amd_pointer_info_t info{};
  info.size = sizeof(info);
  const auto status =
      runtime->calls().hsa_amd_pointer_info(address, &info, nullptr, nullptr, nullptr);
  const bool known = status == abi::HSA_STATUS_SUCCESS;
  if (known && info.type == abi::HSA_EXT_POINTER_TYPE_HSA) return {address, cpu, -1};
  auto pin = Pins::of_process().get(runtime, address, bytes);
  auto* const pointer = pin->reached + (static_cast<std::byte*>(address) - pin->base);
  holds.push_back(std::move(pin));
  return {pointer, cpu, -1};
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
