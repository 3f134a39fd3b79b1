// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Memory of concclMemAlloc, and what forbids that it is freed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "conccl/backend/device.hpp"

namespace conccl::capi {

/// While it lives, the allocation it is on is not freed. Movable.
class Pin {
 public:
  Pin() = default;
  explicit Pin(std::shared_ptr<const std::string> holder) : holder_(std::move(holder)) {}

 private:
  std::shared_ptr<const std::string> holder_;
};

/// Allocations by address. Thread-safe.
class MemoryTable {
 public:
  /// Keeps `device` open while its memory is there.
  [[nodiscard]] void* add(backend::Memory memory, std::shared_ptr<backend::Device> device);
  /// Throws InputError for what is no allocation, UsageError naming a holder of a pin.
  void free(void* address);
  /// Of the allocation `address` lies in; none when that is not of this table. `holder` is what the
  /// refusal to free it will name.
  [[nodiscard]] Pin pin(const void* address, std::string holder);

 private:
  struct Entry {
    std::shared_ptr<backend::Device> device;
    backend::Memory memory;
    std::vector<std::weak_ptr<const std::string>> holders;
  };

  std::mutex mutex_;
  std::map<const std::byte*, Entry> entries_;
};

/// The process's. Never destroyed.
[[nodiscard]] MemoryTable& memory_table();

}  // namespace conccl::capi
