// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Runner`: carries out one rank's part of the schedule.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tests/soak/checked_collective.hpp"
#include "tests/soak/delays.hpp"
#include "tests/soak/tally.hpp"
#include "tests/soak/world.hpp"

namespace conccl::soak {

class Runner {
 public:
  /// `world` must outlive it.
  Runner(World& world, const SoakOptions& options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Throws RunError for what goes wrong on the way; wrong bytes are printed and counted.
  void run_epoch(std::uint64_t epoch);
  /// A last small collective on all ranks: what a communicator's last calls used stays mapped until
  /// it is called again.
  void settle(std::uint64_t operation);
  /// Fails every communicator, so that no rank waits for this one.
  void abort(std::string_view why) noexcept;

  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] Findings& findings() { return findings_; }

 private:
  /// A communicator as this rank sees it.
  struct Membership {
    CommunicatorSpec spec;
    std::optional<comm::Communicator> own;
    comm::Communicator* communicator = nullptr;  ///< null: this rank is not in it
  };

  void act(const Create& action);
  void act(const Destroy& action);
  void act(const Allocate& action);
  void act(const Free& action);
  void act(const Collect& action);
  void act(const Exchange& action);

  void register_windows(comm::Communicator& communicator, Buffers& buffers);
  void begin(const CollectiveSpec& spec, std::vector<CheckedCollective*>& begun);
  void call(const std::vector<CheckedCollective*>& collectives);
  void finish(CheckedCollective& collective);
  void count(const Collect& action);

  [[nodiscard]] int stream_of(int buffers) const;
  [[nodiscard]] backend::Queue& stream(const CheckedCollective& collective);
  void synchronize();
  void judge(const CheckedCollective& collective);
  void require_no_failure() const;

  World& world_;
  const SoakOptions& options_;
  Random random_;
  Delays delays_;
  std::vector<std::unique_ptr<backend::Queue>> streams_;
  std::map<int, Membership> memberships_;
  std::map<int, BufferSpec> specs_;
  std::map<int, std::shared_ptr<Buffers>> buffers_;
  std::vector<std::unique_ptr<CheckedCollective>> in_flight_;
  bool spoiled_ = false;
  Tally tally_;
  Findings findings_;
};

}  // namespace conccl::soak
