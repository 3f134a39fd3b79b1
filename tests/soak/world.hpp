// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `World`: one rank's device, the communicator of all ranks, and how further ones are made.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "conccl/backend/registry.hpp"
#include "conccl/comm/communicator.hpp"
#include "tests/soak/options.hpp"
#include "tests/soak/schedule.hpp"

namespace conccl::soak {

/// Communicators that one thread made for others. Thread-safe.
class SharedCommunicators {
 public:
  void put(const CommunicatorSpec& spec, std::vector<comm::Communicator> communicators);
  /// The one of a world rank.
  [[nodiscard]] comm::Communicator take(const CommunicatorSpec& spec, int world_rank);

 private:
  std::mutex mutex_;
  std::map<std::pair<int, int>, comm::Communicator> shared_;  ///< by communicator and world rank
};

/// What the threads of one process share.
struct ProcessContext {
  explicit ProcessContext(int ranks);

  std::unique_ptr<backend::Backend> backend;
  std::vector<std::unique_ptr<backend::Device>> devices;
  SharedCommunicators communicators;
};

/// One rank's. One thread.
class World {
 public:
  /// Rank `rank` of the context, which must outlive it.
  World(ProcessContext& context, int rank, comm::Communicator everyone);
  /// The rank that the environment says. Blocks until all have come.
  explicit World(const SoakOptions& options);

  [[nodiscard]] int rank() const { return everyone_->rank(); }
  [[nodiscard]] int ranks() const { return everyone_->ranks(); }
  [[nodiscard]] backend::Device& device() { return *device_; }
  [[nodiscard]] comm::Communicator& everyone() { return *everyone_; }

  /// All ranks of the world call it; the members get theirs.
  [[nodiscard]] std::optional<comm::Communicator> create(const CommunicatorSpec& spec);

  [[nodiscard]] static comm::Options options_of(const CommunicatorSpec& spec,
                                                std::chrono::milliseconds deadline);

 private:
  [[nodiscard]] bool together(const CommunicatorSpec& spec) const;
  [[nodiscard]] std::vector<std::byte> prepare(const CommunicatorSpec& spec,
                                               const comm::Options& options);

  ProcessContext* context_ = nullptr;  ///< null: the other ranks are other processes
  std::unique_ptr<backend::Backend> own_backend_;
  std::unique_ptr<backend::Device> own_device_;
  const backend::Backend* backend_;
  backend::Device* device_;
  std::optional<comm::Communicator> everyone_;
};

/// A world rank's rank among the members; nullopt: it is none of them.
[[nodiscard]] std::optional<int> rank_among(const std::vector<int>& members, int world_rank);

}  // namespace conccl::soak
