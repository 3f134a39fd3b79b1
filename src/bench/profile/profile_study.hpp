// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a profile runs for one scenario, or for one GEMM.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "bench/measurement.hpp"
#include "bench/peers/attached_peers.hpp"
#include "bench/sizing.hpp"
#include "conccl/bench/profile.hpp"

namespace conccl::bench {

/// What the steps of a profile share. All must outlive it.
struct ProfileParts {
  Rig& rig;
  Peers& peers;
  const backend::Capabilities& capabilities;
  const ProfileOptions& options;
  const std::atomic<bool>* interrupt = nullptr;  ///< may be null
};

/// Adds what it measures to a profile.
class ProfileStudy {
 public:
  /// Of `strategies` those that run in a headline row: beside a vendor's kernels not our own.
  ProfileStudy(const ProfileParts& parts, const c3::DeviceShape& device,
               std::vector<c3::Strategy> strategies, Profile& profile);

  /// Everything; or, of a further GEMM, what tells it from others of its kind, on all numbers of
  /// units or on the whole device.
  enum class Extent { full, full_units, brief };

  /// `after_round` is called once per round.
  void run(const c3::Scenario& scenario, const Size& size, Extent extent, std::mt19937_64& random,
           const std::function<void()>& after_round);
  /// The collective alone.
  void run(plan::Collective collective, Bytes bytes, std::mt19937_64& random,
           const std::function<void()>& after_round);
  [[nodiscard]] int round_count() const;

 private:
  struct Entry {
    c3::Sample sample;
    Measurement measurement;
  };
  struct Stage {
    Workload& workload;
    const std::vector<std::unique_ptr<backend::Gemm>>& gemms;
    c3::Sample frame;  ///< GEMM and collective of every sample
    Extent extent;
    std::mt19937_64& random;
    const std::function<void()>& after_round;
  };

  void run_on(const Stage& stage, AttachedPeers& peers);
  void add_gemms(const Stage& stage, std::vector<Entry>& entries) const;
  void add_collectives(const Stage& stage, const AttachedPeers& peers,
                       std::vector<Entry>& entries) const;
  void add_together(const Stage& stage, const AttachedPeers& peers,
                    std::vector<Entry>& entries) const;
  void measure(const Stage& stage, std::vector<Entry>& entries);
  /// The GEMM alone, a pause before each run.
  void rest(const Stage& stage, const Entry& gemm);
  /// Where the GEMM is long: back to back, and its clocks.
  void look_at_power(const Stage& stage, const std::vector<Entry>& entries);
  void read_clocks(const Stage& stage, const Configuration& together);
  [[nodiscard]] std::vector<int> budgets(c3::BudgetKind kind) const;

  Rig& rig_;
  Peers& peers_;
  const backend::Capabilities& capabilities_;
  const ProfileOptions& options_;
  const std::atomic<bool>* interrupt_;
  c3::DeviceShape device_;
  std::vector<c3::Strategy> strategies_;
  Profile& profile_;
};

}  // namespace conccl::bench
