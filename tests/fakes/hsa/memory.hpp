// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The memory that agents know of: what pools gave, what other processes exported, what is locked.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "tests/fakes/hsa/topology.hpp"

namespace conccl::test::fake_hsa {

enum class Origin { pool, import, host };

/// Stays mapped while anything holds it, so that a copy under way never faults in the double
/// itself.
/// What is told of an allocation's end.
struct FreedCallback {
  void (*call)(void* base, void* data) = nullptr;
  void* data = nullptr;
};

struct Allocation {
  Allocation() = default;
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  std::byte* base = nullptr;
  std::size_t bytes = 0;   ///< as asked for
  std::size_t mapped = 0;  ///< 0: host memory of someone else
  Origin origin = Origin::pool;
  int owner = 0;  ///< agent
  const Pool* pool = nullptr;
  AgentSet access = 0;
  int file = -1;
  std::uint64_t id = 0;  ///< in the file's name
  int locks = 0;
  std::vector<FreedCallback> on_freed;
};

class Memory {
 public:
  explicit Memory(const Topology& topology) : topology_(topology) {}

  hsa_status_t allocate(const Pool& pool, std::size_t bytes, void** pointer);
  hsa_status_t free(void* base);
  hsa_status_t tell_when_freed(const void* base, FreedCallback callback);
  /// Replaces the list.
  hsa_status_t allow(const void* base, AgentSet agents);
  hsa_status_t lock(void* host, std::size_t bytes, AgentSet agents);
  hsa_status_t unlock(void* host);
  hsa_status_t export_to(const void* base, std::size_t bytes, hsa_amd_ipc_memory_t& handle) const;
  hsa_status_t import(const hsa_amd_ipc_memory_t& handle, std::size_t bytes, AgentSet agents,
                      void** pointer);
  hsa_status_t detach(void* base);
  void clear();

  /// The allocation that holds the address; null: none does.
  [[nodiscard]] std::shared_ptr<const Allocation> find(const void* address) const;
  /// The same, when all of the bytes lie in it and the agent may touch them.
  [[nodiscard]] std::shared_ptr<const Allocation> reach(const Agent& agent, const void* address,
                                                        std::size_t bytes) const;
  [[nodiscard]] AgentSet access_of(const Allocation& allocation) const;

 private:
  [[nodiscard]] std::shared_ptr<Allocation> holding(const void* address) const;
  /// The one of that base and origin; null: there is none.
  [[nodiscard]] std::shared_ptr<Allocation> at(const void* base, Origin origin) const;
  /// Agents that need not be granted the memory of an agent.
  [[nodiscard]] AgentSet always(int owner) const;

  const Topology& topology_;
  mutable std::mutex mutex_;
  std::map<const std::byte*, std::shared_ptr<Allocation>> all_;
  std::map<std::uint64_t, std::size_t> used_;  ///< bytes by pool
};

}  // namespace conccl::test::fake_hsa
