// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A profile: what the model of contention needs to know of a machine, measured on it. The same
/// rounds, buffers and checks as a study's; other things run in them.
#pragma once

#include <string>
#include <vector>

#include "conccl/bench/study.hpp"
#include "conccl/c3/model/sample.hpp"

namespace conccl::bench {

struct Profile {
  Machine machine;  ///< as probed
  bool emulation = false;
  std::string gemm_library;
  std::string suite;
  std::string suite_hash;
  Launch launch = Launch::threads;
  int ranks = 0;
  int rounds = 0;
  std::uint64_t seed = 0;
  std::string date;  ///< year-month-day, UTC
  bool partial = true;
  std::vector<PeerFacts> peers;
  std::vector<Skipped> skipped;  ///< a GEMM alone stands in `scenario`
  std::vector<c3::Sample> samples;
  std::vector<c3::ClockSample> clocks;  ///< none where there are no counters
  CheckCounts check;
};

/// The schema of `to_json`.
inline constexpr std::string_view kProfileSchema = "conccl.profile/2";

struct ProfileOptions {
  /// Scenarios, ranks, rounds, seed, sizes; the rest of a study's options has no use here.
  StudyOptions study;
  /// Further ones, beside each collective of about their time.
  std::vector<GemmSpec> gemms;
  /// Further sizes of each collective, as nccl-tests count them, to time alone.
  std::vector<Bytes> sizes;
  Seconds sustained{0.5};  ///< of GEMMs of kLongMs or more
};

/// What is also run for a while, and read the clock of.
inline constexpr double kLongMs = 1;

struct ProfileHooks {
  std::function<void(const StudyProgress&)> progress;
  std::function<void(const Profile&)> step_done;  ///< after each scenario and each further GEMM
  const std::atomic<bool>* interrupt = nullptr;
};

/// Per scenario, in shuffled rounds, every one checked as in a study: the GEMM alone on every
/// number of units that a strategy may leave it; the collective alone on DMA engines and on
/// kernels, those held to every limit; both together under every strategy with every budget. Of
/// further GEMMs the same, but for limits alone and `serial`; of further sizes the collectives
/// alone. A GEMM of kLongMs or more is also timed at rest, and one of a scenario back to back.
/// Throws as `run_study`, and InputError for further GEMMs or sizes on an emulation; `profile`
/// holds what is finished and is `partial` until the end.
void run_profile(backend::Backend& backend, const ProfileOptions& options,
                 const ProfileHooks& hooks, Profile& profile);

/// The machine, of as many devices as the profile has ranks, with the model that its samples give.
/// Throws InputError for a profile that is partial or lacks a kind of sample, naming it.
[[nodiscard]] Machine machine_of(const Profile& profile);

/// Pretty-printed; the machine is in it as the text of a machine file.
[[nodiscard]] std::string to_json(const Profile& profile);

}  // namespace conccl::bench
