// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/reach.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "conccl/core/errors.hpp"

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
    static auto* const instance = new Pins;
    return *instance;
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
  const auto type =
      status == abi::HSA_STATUS_SUCCESS ? info.type : abi::HSA_EXT_POINTER_TYPE_UNKNOWN;
  if (type == abi::HSA_EXT_POINTER_TYPE_HSA) return {address, cpu, -1};
  if (type != abi::HSA_EXT_POINTER_TYPE_UNKNOWN && type != abi::HSA_EXT_POINTER_TYPE_LOCKED) {
    throw InputError(
        fmt::format("memory at {}: another process's or a graphics library's; expected memory of a "
                    "device or of the host",
                    fmt::ptr(address)));
  }
  auto pin = Pins::of_process().get(runtime, address, bytes);
  auto* const pointer = pin->reached + (static_cast<std::byte*>(address) - pin->base);
  holds.push_back(std::move(pin));
  return {pointer, cpu, -1};
}

}  // namespace

Reached reach(const std::shared_ptr<Runtime>& runtime, const void* address, Bytes bytes,
              std::vector<std::shared_ptr<void>>& holds) {
  auto* const wanted = const_cast<void*>(address);
  const auto entry = Index::of_process().at(address, *runtime);
  if (!entry) return reach_on_host(runtime, wanted, bytes, holds);
  auto memory = entry->allocation.memory.lock();
  if (!memory) throw InputError(fmt::format("memory at {}: it was freed", fmt::ptr(address)));
  holds.push_back(std::move(memory));
  return {wanted, runtime->gpu(entry->gpu).facts.agent, entry->gpu};
}

}  // namespace conccl::backend::hsa
