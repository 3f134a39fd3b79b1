// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The event loop. Between two events every work progresses at a constant rate; an event is the end
/// of a work, of its latency, or of the wave at which a task gives up units.
#pragma once

#include <span>
#include <vector>

#include "c3/model/fair_share.hpp"
#include "c3/model/script.hpp"
#include "c3/model/speeds.hpp"

namespace conccl::c3 {

/// When a work ran. It starts when it first has what it runs on.
struct WorkTimes {
  Nanoseconds start{};
  Nanoseconds end{};
};

class Simulator {
 public:
  /// Both must outlive it.
  Simulator(const System& system, const Script& script);

  /// By work of the script. Throws CheckFailed for a script that never ends, InputError for
  /// one that takes longer than can be counted.
  [[nodiscard]] const std::vector<WorkTimes>& run();

 private:
  /// A work under way and how far it is.
  struct Active {
    int work = 0;
    double done = 0;  ///< of its bytes or arithmetic, 0 to 1
    double rate = 0;
    double latency_rate = 1;  ///< while its latency passes
    double shrink_at = 0;  ///< progress at which it gives up units that it should not have; 0: none
    bool started = false;
  };

  void advance_lanes();
  void advance(std::size_t lane);
  void raise(int flag);
  void activate(int work);
  /// Whether something that needs compute units has been launched there and has not ended.
  [[nodiscard]] bool computes(int device) const;
  void grant_units(int device);
  [[nodiscard]] std::vector<UnitClaim> claims_on(std::span<const std::size_t> here) const;
  [[nodiscard]] double wave_end(std::size_t active) const;
  void set_rates();
  [[nodiscard]] double target_of(std::size_t active) const;
  [[nodiscard]] Nanoseconds next_event() const;
  void progress(Nanoseconds step);
  void finish_done();
  [[noreturn]] void fail_endless() const;
  [[noreturn]] void fail_stuck(std::size_t lane) const;

  const System& system_;
  const Script& script_;
  FairShare fair_share_;
  Nanoseconds now_{};
  std::vector<WorkTimes> times_;
  std::vector<Active> active_;    ///< in the order in which they were launched
  std::vector<Running> running_;  ///< beside `active_`
  std::vector<Claimant> claimants_;
  std::vector<std::size_t> op_;     ///< by lane: the next operation
  std::vector<std::size_t> ready_;  ///< lanes that may go on, in order
  std::vector<bool> raised_;
  std::vector<std::vector<std::size_t>> waiting_;  ///< by flag: lanes
};

}  // namespace conccl::c3
