// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Report`: what a C3 study found. Data only; printers are in report_text.hpp and report_json.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/bench/attribution.hpp"
#include "conccl/bench/check_counts.hpp"
#include "conccl/bench/evidence.hpp"
#include "conccl/bench/launch.hpp"
#include "conccl/bench/sustained.hpp"
#include "conccl/c3/taxonomy.hpp"
#include "conccl/core/gemm_shape.hpp"
#include "conccl/core/machine.hpp"
#include "conccl/core/statistics.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::bench {

/// How close a strategy comes to the ideal, with the ideal taken from one isolated collective.
/// `percent` and its 95 % interval are empty where the ideal is below c3::kLeastIdeal.
struct AgainstIdeal {
  double t_comm_ms = 0;
  double speedup = 0;
  double ideal = 0;
  std::optional<double> percent;
  std::optional<Interval> interval;
};

/// Where a result's times come from.
inline constexpr std::string_view kMeasured = "measured";
inline constexpr std::string_view kFromModel = "model";

struct SweepPoint {
  int budget = 0;
  double t_c3_ms = 0;  ///< median of the sweep's own rounds
};

/// One scenario under one strategy. Times are over measured rounds, slowest rank.
struct Result {
  std::string scenario;
  GemmSpec gemm;  ///< as run
  plan::Collective collective = plan::Collective::all_gather;
  std::string strategy;
  Bytes bytes = 0;  ///< as nccl-tests count them
  Bytes bytes_per_peer = 0;
  int ranks = 0;
  c3::Balance balance = c3::Balance::gc_equal;
  int budget = 0;
  /// The part of its scenario's rounds, by the host's clock, in which GEMMs ran: what a limit on
  /// the device's power goes by. None for a model's figure.
  std::optional<double> gemm_share;
  Summary t_gemm_ms;
  Summary t_comm_ms;  ///< this strategy's own form, isolated
  Summary t_c3_ms;
  AgainstIdeal own;  ///< with the fastest isolated collective of the study's fixed set
  std::optional<AgainstIdeal> baseline;  ///< with the vendor's kernels; none where there are none
  CheckCounts check;
  std::vector<SweepPoint> sweep;           ///< empty without a budget
  std::optional<RowEvidence> evidence;     ///< none where nothing was looked for
  std::optional<Attribution> attribution;  ///< where a loss comes from; none where none matters
  /// Where a model's figure leaves what the machine's model was fitted to, a line each.
  std::vector<std::string> extrapolated;
  std::string source{kMeasured};
};

/// What could not run here, and why: a strategy or peer, or a scenario under every strategy.
struct Skipped {
  std::string strategy;
  std::string reason;
  std::string scenario = {};  ///< then `strategy` is empty
};

/// Another library whose collectives run beside ours: what ran, or why it did not.
struct PeerFacts {
  std::string name;                ///< "nccl", "nccl_ce"
  std::string version;             ///< empty where it did not run
  std::vector<std::string> notes;  ///< how it runs, a line each
  std::string reason;              ///< why it did not run; empty where it did
};

/// The row that `StrategySummary::over_vendor_copies` compares with.
inline constexpr std::string_view kVendorCopiesStrategy = "nccl_ce";

/// Means of per-scenario figures; scenarios with an ideal below c3::kLeastIdeal are left out of
/// `percent` and counted, and out of `baseline_percent`, by its own ideal.
struct StrategySummary {
  std::string strategy;
  int scenarios = 0;
  int left_out = 0;
  double speedup = 0;
  std::optional<double> percent;
  std::optional<double> baseline_percent;  ///< none without a vendor's library
  /// Geometric mean of this strategy's T_c3 over that of the vendor's copy-engine mode beside the
  /// GEMM, over the scenarios that have both: below 1, this one is faster.
  std::optional<double> over_vendor_copies;
};

struct Report {
  Machine machine;
  bool emulation = false;  ///< times show function, not hardware
  bool scaled = false;     ///< shapes and bytes are not the suite's: an emulation would take hours
  bool predicted = false;  ///< by the model of contention: nothing was run
  std::string gemm_library;
  std::string suite;
  std::string suite_hash;
  Launch launch = Launch::threads;
  int ranks = 0;
  int warmup = 0;
  int rounds = 0;
  double rest = 0;  ///< how long the devices idled after each run, over its time
  std::uint64_t seed = 0;
  bool partial =
      false;  ///< interrupted or failed: `results` holds the scenarios that were finished
  std::vector<Result> results;
  std::vector<Skipped> skipped;
  std::vector<PeerFacts> peers;
  std::vector<Sustained> sustained;  ///< one per scenario, where asked for
  std::string trace;                 ///< for Perfetto, a file of its own; empty unless asked for
};

/// The results of each scenario and collective together, in order of first appearance.
[[nodiscard]] std::vector<std::vector<Result>> rows_of(const Report& report);

/// Per strategy, in order of first appearance; `collective` empty: over all.
[[nodiscard]] std::vector<StrategySummary> summarize_strategies(
    const Report& report, std::optional<plan::Collective> collective = {});

}  // namespace conccl::bench
