// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HandleTable`: which handles are alive.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace conccl::capi {

/// A number that was never a handle before, of any kind. It is no address, so that a handle of a
/// destroyed object can never become that of a new one.
[[nodiscard]] inline std::uintptr_t next_handle() {
  // Unlike small integers and unlike addresses of user space.
  constexpr std::uintptr_t kFirst = std::uintptr_t{0xC0CC1} << 44U;
  constexpr std::uintptr_t kStep = 16;
  static std::atomic<std::uintptr_t> next{kFirst};
  return next.fetch_add(kStep);
}

/// Objects by handle. Whoever has found one keeps it alive, so that a destroy in another thread
/// takes the handle away but not the object. Thread-safe.
template <typename Object>
class HandleTable {
 public:
  [[nodiscard]] void* add(std::shared_ptr<Object> object) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): never followed
    return add_as(reinterpret_cast<void*>(next_handle()), std::move(object));
  }

  /// Under a handle that others have given it.
  [[nodiscard]] void* add_as(void* handle, std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    objects_.insert_or_assign(reinterpret_cast<std::uintptr_t>(handle), std::move(object));
    return handle;
  }

  /// Null when `handle` is none of this table's, or no more.
  [[nodiscard]] std::shared_ptr<Object> find(const void* handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  std::shared_ptr<Object> remove(const void* handle) {
    const std::lock_guard lock(mutex_);
    auto node = objects_.extract(reinterpret_cast<std::uintptr_t>(handle));
    return node.empty() ? nullptr : std::move(node.mapped());
  }

  /// Removes what `matches`; the objects end with the returned list, outside the lock.
  template <typename Predicate>
  [[nodiscard]] std::vector<std::shared_ptr<Object>> remove_if(Predicate matches) {
    std::vector<std::shared_ptr<Object>> removed;
    const std::lock_guard lock(mutex_);
    for (auto entry = objects_.begin(); entry != objects_.end();) {
      if (!matches(*entry->second)) {
        ++entry;
        continue;
      }
      removed.push_back(std::move(entry->second));
      entry = objects_.erase(entry);
    }
    return removed;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

}  // namespace conccl::capi
