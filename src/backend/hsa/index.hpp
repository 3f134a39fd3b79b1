// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Index`: which allocation an address lies in, and which GPU it is on.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "backend/hsa/runtime.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::hsa {

/// What this backend made or mapped is in its own list. Other libraries' memory (hipMalloc) is
/// asked for and kept there until the runtime says that it is freed. Any thread may call it.
class Index {
 public:
  enum class Maker { backend, elsewhere, other_process };
  struct Entry {
    Allocation allocation;  ///< id 0: another process's
    Maker maker = Maker::backend;
    int gpu = 0;  ///< whose memory it is
  };

  /// The one of this process; it is never destroyed.
  [[nodiscard]] static Index& of_process();

  void add(const std::shared_ptr<void>& memory, Bytes bytes, Maker maker, int gpu);
  void remove(const void* base);

  /// nullopt for memory that is not a GPU's.
  [[nodiscard]] std::optional<Entry> at(const void* address, Runtime& runtime);
  [[nodiscard]] std::optional<Entry> find(std::uint64_t id) const;

 private:
  [[nodiscard]] const Entry* known_at(const std::byte* address) const;
  [[nodiscard]] std::optional<Entry> ask(const std::byte* address, Runtime& runtime);
  void insert(const std::shared_ptr<void>& memory, Bytes bytes, Maker maker, int gpu);
  static void on_freed(void* base, void* data);

  mutable std::mutex mutex_;
  std::map<const std::byte*, Entry> by_base_;
  std::map<const std::byte*, std::shared_ptr<void>> alive_;  ///< until other libraries free it
  std::uint64_t last_id_ = std::uint64_t{1} << 62;  ///< the host's allocations count from 1
};

}  // namespace conccl::backend::hsa
