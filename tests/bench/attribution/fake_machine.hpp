// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `FakeMachine`: losses whose causes are known, because a small machine made them up.
#pragma once

#include <cmath>

#include "bench/attribution/probes.hpp"

namespace conccl::bench::test {

inline constexpr int kRounds = 9;
/// What two readings add to a GEMM's lane.
inline constexpr double kReadMs = 0.005;

/// A machine whose GEMM is slowed by exactly these.
struct Truth {
  double gemm_ms = 1.5;
  double comm_ms = 1.0;
  double late_ms = 0;
  double units = 1;  ///< how many times longer on the strategy's units
  double alone_ghz = 1.5;
  double together_ghz = 1.5;
  double zero_ghz = 1.8;
  double elasticity = 1;
  double on_chip = 1;  ///< how many times longer for cache and fabric
  double memory = 1;   ///< for memory, on top
  double comm_power = 1;
  double comm_on_chip = 1;
  double comm_memory = 1;
  double flags_ms = 0;
};

/// Its runs, as measured.
class FakeMachine {
 public:
  explicit FakeMachine(const Truth& truth) : truth_(truth) {}

  [[nodiscard]] double gemm(double ghz, double slower = 1) const {
    return truth_.gemm_ms * std::pow(truth_.alone_ghz / ghz, truth_.elasticity) * slower;
  }
  [[nodiscard]] double comm(double slower = 1) const { return truth_.comm_ms * slower; }

  [[nodiscard]] Probed probed(Copies copies = Copies::too_large) const {
    const Truth& t = truth_;
    const double contention = t.on_chip * t.memory;
    const double on_comm = t.comm_on_chip * t.comm_memory;
    Probed probed;
    probed.copies = copies;
    auto& series = probed.series;
    series[Probe::gemm] = only_gemm(gemm(t.alone_ghz), 0);
    series[Probe::comm] = both({}, {start(), comm()}, 0);
    const double slow = gemm(t.together_ghz, t.units * contention);
    const double slow_comm = comm(t.comm_power * on_comm) + t.flags_ms;
    series[Probe::together] = both({late(), slow}, {late(), slow_comm}, 0);
    if (t.units != 1) series[Probe::gemm_share] = only_gemm(gemm(t.alone_ghz, t.units), 0);
    series[Probe::gemm_read] = only_gemm(gemm(t.alone_ghz, t.units) + kReadMs, t.alone_ghz);
    series[Probe::gemm_zero] = only_gemm(gemm(t.zero_ghz, t.units) + kReadMs, t.zero_ghz);
    series[Probe::together_read] =
        both({late(), slow + kReadMs}, {late(), slow_comm}, t.together_ghz);
    const double zero = gemm(t.zero_ghz, t.units * contention);
    const double zero_comm = comm(on_comm) + t.flags_ms;
    series[Probe::together_zero] = both({late(), zero}, {late(), zero_comm}, 0);
    series[Probe::zero_read] = both({late(), zero + kReadMs}, {late(), zero_comm}, t.zero_ghz);
    if (copies == Copies::opaque) return probed;
    series[Probe::comm_flags] = both({}, {start(), 0.01}, 0);
    series[Probe::together_flags] =
        both({late(), gemm(t.alone_ghz)}, {late(), 0.01 + t.flags_ms}, 0);
    if (copies == Copies::fit) return probed;
    const auto small = [&](double ghz) {
      const double slow_gemm = gemm(ghz, t.units * t.on_chip) + kReadMs;
      return both({late(), slow_gemm}, {late(), comm(t.comm_on_chip) + t.flags_ms}, ghz);
    };
    series[Probe::comm_small] = both({}, {start(), comm()}, 0);
    series[Probe::small_read] = small(t.together_ghz);
    series[Probe::small_zero] = small(t.zero_ghz);
    return probed;
  }

 private:
  struct Run {
    double start_ms = 0;
    double duration_ms = 0;
  };

  static double start() { return 0.002; }
  [[nodiscard]] double late() const { return start() + truth_.late_ms; }
  static Series only_gemm(double duration, double ghz) {
    return both({start(), duration}, {}, ghz);
  }
  /// Rank 1 is the slower one, by a hair; rounds scatter by a thousandth around the truth.
  static Series both(Run gemm, Run comm, double ghz) {
    Series series;
    for (int round = 0; round < kRounds; ++round) {
      const double scatter = 1 + 0.0005 * (round % 3 - 1);
      const auto span = [scatter](const Run& run, double of_rank) {
        const double end = run.start_ms + run.duration_ms * scatter * of_rank;
        return TaskSpan{run.start_ms, end};
      };
      series.push_back(
          {{span(gemm, 0.999), span(comm, 0.999), ghz}, {span(gemm, 1), span(comm, 1), ghz}});
    }
    return series;
  }

  Truth truth_;
};

inline Attribution attribute_to(const Truth& truth, Copies copies = Copies::too_large) {
  return attribute(FakeMachine(truth).probed(copies));
}

}  // namespace conccl::bench::test
