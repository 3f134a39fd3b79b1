// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `AttributionRounds`: rounds of their own that measure the causes of a loss.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "bench/attribution/counterfactual.hpp"
#include "bench/attribution/probes.hpp"
#include "bench/workload.hpp"

namespace conccl::bench {

/// What rounds run on; all must outlive them. `gemms` are the workload's, references kept.
struct AttributionSite {
  Rig& rig;
  Workload& workload;
  const std::vector<std::unique_ptr<backend::Gemm>>& gemms;
  const backend::Capabilities& capabilities;
};

/// A strategy as it was measured, and its collective alone.
struct AttributionSubject {
  std::string scenario;  ///< for people
  std::string strategy;
  Configuration together;
  Configuration comm_alone;
};

struct AttributionOptions {
  int warmup = 1;
  int rounds = 9;
  double rest = 0;  ///< as of `RoundOptions`
  std::uint64_t seed = 1;
  Bytes cache_region = 16 * kMiB;  ///< what a rank's copies go over to stay in the cache
};

/// To be made behind a scenario's measured rounds. All calls are collective: every process of a run
/// makes the same ones and gets the same figures. One thread at a time.
class AttributionRounds {
 public:
  /// Adds two tasks per rank to the workload, which may not run them once the rounds are gone.
  explicit AttributionRounds(const AttributionSite& site, const AttributionOptions& options = {});
  ~AttributionRounds();
  AttributionRounds(const AttributionRounds&) = delete;
  AttributionRounds& operator=(const AttributionRounds&) = delete;

  /// Every run once per round, in shuffled orders; those that move the request's bytes are checked
  /// in full, and every GEMM is. Leaves the GEMMs with their random operands. Throws what the runs
  /// throw.
  [[nodiscard]] Attribution run(const AttributionSubject& subject, std::mt19937_64& random);

  /// What was compared so far.
  [[nodiscard]] const CheckCounts& checked() const { return checked_; }

 private:
  struct Readings;
  struct Entry;

  [[nodiscard]] std::vector<Entry> entries_of(const AttributionSubject& subject) const;
  [[nodiscard]] Configuration read(Configuration configuration) const;
  /// What every rank saw of one run.
  [[nodiscard]] std::vector<RankTimes> measure(const Entry& entry);
  void set_operands(backend::Operands operands);

  AttributionSite site_;
  AttributionOptions options_;
  std::vector<std::unique_ptr<Readings>> readings_;  ///< by local rank; empty without counters
  ReadingTasks reading_tasks_;
  CheckCounts checked_;
};

}  // namespace conccl::bench
