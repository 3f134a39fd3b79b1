// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Buffers, patterns and GEMMs of one scenario, and the check that every byte arrived.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/rig.hpp"
#include "conccl/bench/report.hpp"

namespace conccl::bench {

/// What a configuration runs, and so what must be right after it.
struct Parts {
  enum class Kind { gemm, comm, both };
  Kind kind = Kind::both;

  [[nodiscard]] bool has_gemm() const { return kind != Kind::comm; }
  [[nodiscard]] bool has_comm() const { return kind != Kind::gemm; }
};

/// Owns the buffers of the local ranks for one request, registered as windows while it lives. Every
/// process of a run makes the same calls and gets the same answers.
class Workload {
 public:
  /// `gemms`, one per local rank, may be empty where only collectives run. All must outlive the
  /// workload.
  Workload(Rig& rig, const plan::Request& request,
           const std::vector<std::unique_ptr<backend::Gemm>>& gemms);
  ~Workload();
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  [[nodiscard]] const plan::Request& request() const { return request_; }

  /// What the plans of a local rank are given.
  [[nodiscard]] const RankWork& work(std::size_t local) const { return work_[local]; }
  /// A further task for the plans of a local rank, which must outlive its last run; its index.
  int add_task(std::size_t local, backend::Task& task);

  /// Runs without filling or checking: warm-up and sizing; no such time is reported.
  [[nodiscard]] Nanoseconds run_unchecked(const Configuration& configuration);

  /// New inputs, poisoned outputs, the run, the full compare behind it, the GEMM's result compared
  /// with its isolated one. Adds what all ranks compared to `counts`; throws CheckFailed at the
  /// first wrong byte.
  [[nodiscard]] Nanoseconds run_checked(const Configuration& configuration, const Parts& parts,
                                        CheckCounts& counts);

 private:
  void fill(std::uint64_t round);
  [[nodiscard]] std::vector<std::unique_ptr<backend::Task>> compares(
      std::uint64_t round, std::vector<backend::Comparison>& results) const;
  void check_bytes(const std::string& name, const std::vector<backend::Comparison>& local,
                   CheckCounts& counts) const;
  void check_gemms(const std::string& name, CheckCounts& counts) const;

  Rig& rig_;
  plan::Request request_;
  const std::vector<std::unique_ptr<backend::Gemm>>& gemms_;
  std::vector<backend::Memory> send_;
  std::vector<backend::Memory> recv_;
  std::vector<RankWork> work_;
  std::uint64_t round_ = 0;
};

/// The stretches of send (in place: of recv) that hold a rank's input in `round`.
[[nodiscard]] backend::Stretch input_stretch(const plan::Request& request,
                                             const backend::Pattern& pattern);
/// What recv of `rank` must hold after a round, from the definition of the collective.
[[nodiscard]] std::vector<backend::Stretch> expected_stretches(const plan::Request& request,
                                                               const backend::Pattern& pattern);
/// One line for the first wrong byte of a rank.
[[nodiscard]] std::string mismatch_text(const backend::Comparison& result, int rank);

}  // namespace conccl::bench
