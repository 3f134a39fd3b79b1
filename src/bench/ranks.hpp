// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The ranks of a measurement: those this process drives, and how they agree with the others.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "conccl/backend/device.hpp"
#include "conccl/bench/launch.hpp"
#include "conccl/comm/communicator.hpp"

namespace conccl::bench {

/// A device, a communicator and a stream for every local rank, driven by one thread. Local ranks
/// are counted from 0 and follow one another: all ranks, or one.
///
/// `gather`, `meet` and `shared_flags` are collective: every process makes them in the same order.
class Ranks {
 public:
  enum class Wish : std::uint8_t { go_on, stop };

  /// All ranks, here. `backend` must outlive them.
  Ranks(backend::Backend& backend, int ranks, const comm::Options& options);
  /// One rank of a run, driven by a process or thread of its own.
  Ranks(backend::Backend& backend, const comm::Place& place, const comm::UniqueId& id,
        const comm::Options& options);
  /// With `Launch::processes` place and id come from the environment; throws InputError when it
  /// names another number of ranks.
  [[nodiscard]] static Ranks open(backend::Backend& backend, Launch launch, int ranks,
                                  const comm::Options& options);

  /// All of them, wherever they run.
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] std::size_t local_count() const { return devices_.size(); }
  [[nodiscard]] int rank_of(std::size_t local) const { return first_ + static_cast<int>(local); }
  [[nodiscard]] bool all_here() const { return local_count() == static_cast<std::size_t>(size_); }
  /// Whether rank 0 is here.
  [[nodiscard]] bool leads() const { return first_ == 0; }

  [[nodiscard]] backend::Device& device(std::size_t local) const { return *devices_[local]; }
  [[nodiscard]] backend::Queue& stream(std::size_t local) const { return *streams_[local]; }
  [[nodiscard]] comm::Communicator& communicator(std::size_t local) {
    return communicators_[local];
  }

  /// From one fact per local rank to one per rank.
  template <typename Fact>
  [[nodiscard]] std::vector<Fact> gather(const std::vector<Fact>& local);
  /// Waits until every process is here. `stop` when any of them wishes it.
  [[nodiscard]] Wish meet(Wish mine);

  /// `count` flags per rank, by rank, that all ranks can raise and wait for. The ranks own them.
  [[nodiscard]] std::vector<backend::FlagBlock*> shared_flags(int count);

  /// Registers one buffer per local rank, where it has any bytes, so that calls need no exchange;
  /// the windows by local rank. Collective.
  std::vector<comm::Window> register_windows(const std::vector<backend::Memory>& buffers);

  /// Waits until every local stream has run what was submitted. Throws RunError when one misses the
  /// communicators' deadline or the communicator has failed, and what a task threw.
  void synchronize();

  /// After a failure: tells every rank `why`, and waits, so that nothing queued outlives the
  /// buffers it names. The ranks are of no use then.
  void drain(std::string_view why) noexcept;
  /// Runs what every process runs alike. A failure of this process's own is told to the others
  /// before it goes on its way; what all of them throw together (Interrupted, CheckFailed) is not.
  void run_together(const std::function<void()>& work);
  /// Tells every rank `why`; a communicator that has failed already keeps its first reason.
  void abort(std::string_view why) noexcept;

 private:
  void make_streams();
  /// The bytes that every rank's process gave, one after the other; each gives as many.
  [[nodiscard]] std::vector<std::byte> exchange(std::span<const std::byte> mine);

  int size_;
  int first_ = 0;
  std::chrono::milliseconds deadline_;
  std::vector<std::unique_ptr<backend::Device>> devices_;
  std::vector<comm::Communicator> communicators_;
  std::vector<std::unique_ptr<backend::FlagBlock>> flags_;  ///< where all ranks are here
  std::vector<std::unique_ptr<backend::Queue>> streams_;
};

template <typename Fact>
std::vector<Fact> Ranks::gather(const std::vector<Fact>& local) {
  static_assert(std::is_trivially_copyable_v<Fact>, "facts travel as bytes");
  if (all_here()) return local;
  const auto bytes = exchange(std::as_bytes(std::span(local)));
  std::vector<Fact> all(static_cast<std::size_t>(size_));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

}  // namespace conccl::bench
