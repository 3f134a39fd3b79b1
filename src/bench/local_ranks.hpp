// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The ranks of one process: a device, a communicator and a stream each, driven by one thread.
#pragma once

#include <memory>
#include <vector>

#include "conccl/backend/device.hpp"
#include "conccl/comm/communicator.hpp"

namespace conccl::bench {

class LocalRanks {
 public:
  /// `backend` must outlive the ranks.
  LocalRanks(backend::Backend& backend, int ranks, const comm::Options& options);

  [[nodiscard]] std::size_t size() const { return devices_.size(); }
  [[nodiscard]] backend::Device& device(std::size_t rank) const { return *devices_[rank]; }
  [[nodiscard]] backend::Queue& stream(std::size_t rank) const { return *streams_[rank]; }
  [[nodiscard]] comm::Communicator& communicator(std::size_t rank) { return communicators_[rank]; }

  /// Registers one buffer per rank, where it has any bytes, so that calls need no exchange; the
  /// windows by rank.
  std::vector<comm::Window> register_windows(const std::vector<backend::Memory>& buffers);

  /// Waits until every stream has run what was submitted. Throws RunError when one misses the
  /// communicators' deadline or the communicator has failed, and what a task threw.
  void synchronize();

  /// After a failure: aborts, and waits, so that nothing queued outlives the buffers it names. The
  /// ranks are of no use then.
  void drain() noexcept;

 private:
  std::chrono::milliseconds deadline_;
  std::vector<std::unique_ptr<backend::Device>> devices_;
  std::vector<comm::Communicator> communicators_;
  std::vector<std::unique_ptr<backend::Queue>> streams_;
};

}  // namespace conccl::bench
