// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include "bench/attribution/probes.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/statistics.hpp"

namespace conccl::bench {
namespace {

// Clocks nearer to one another than this tell nothing of how a GEMM's time follows them.
constexpr double kLeastClockRatio = 1.01;

/// Who ended last, and where.
struct Last {
  LastTask task = LastTask::gemm;
  std::size_t rank = 0;

  friend auto operator<=>(const Last&, const Last&) = default;
};

double end_of(const RankTimes& times) { return std::max(times.gemm.end_ms, times.comm.end_ms); }

Last last_of(const std::vector<RankTimes>& ranks) {
  const auto latest = std::max_element(
      ranks.begin(), ranks.end(),
      [](const RankTimes& a, const RankTimes& b) { return end_of(a) < end_of(b); });
  return {latest->gemm.end_ms >= latest->comm.end_ms ? LastTask::gemm : LastTask::comm,
          static_cast<std::size_t>(latest - ranks.begin())};
}

/// In most rounds.
Last last_of(const Series& series) {
  std::map<Last, int> votes;
  for (const auto& round : series) ++votes[last_of(round)];
  return std::max_element(votes.begin(), votes.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// The slowest rank's time in each round.
std::vector<double> times_of(const Series& series) {
  std::vector<double> times;
  for (const auto& round : series) {
    double slowest = 0;
    for (const auto& rank : round) slowest = std::max(slowest, end_of(rank));
    times.push_back(slowest);
  }
  return times;
}

/// The runs as one task saw them, each round on the rank where it ended last; trimmed means over
/// rounds.
class View {
 public:
  View(const Probed& probed, const Last& last) : probed_(probed), last_(last) {}

  [[nodiscard]] bool has(Probe probe) const { return probed_.series.contains(probe); }
  [[nodiscard]] double start(Probe probe) const {
    return over_rounds(probe, [this](const RankTimes& times) { return span(times).start_ms; });
  }
  [[nodiscard]] double end(Probe probe) const {
    return over_rounds(probe, [this](const RankTimes& times) { return span(times).end_ms; });
  }
  [[nodiscard]] double duration(Probe probe) const {
    return over_rounds(probe, [this](const RankTimes& times) {
      return span(times).end_ms - span(times).start_ms;
    });
  }
  /// On the rank that was last most often.
  [[nodiscard]] double clock(Probe probe) const {
    std::vector<double> values;
    for (const auto& round : probed_.series.at(probe)) {
      values.push_back(round[last_.rank].clock_ghz);
    }
    return trimmed_mean(values);
  }

 private:
  [[nodiscard]] const TaskSpan& span(const RankTimes& times) const {
    return last_.task == LastTask::gemm ? times.gemm : times.comm;
  }
  template <typename Value>
  [[nodiscard]] double over_rounds(Probe probe, Value value) const {
    std::vector<double> values;
    for (const auto& round : probed_.series.at(probe)) {
      const auto latest = std::max_element(
          round.begin(), round.end(),
          [this](const auto& a, const auto& b) { return span(a).end_ms < span(b).end_ms; });
      values.push_back(value(*latest));
    }
    return trimmed_mean(values);
  }

  const Probed& probed_;
  Last last_;
};

double elasticity_of(const View& gemm, const ClockFigures& clocks) {
  const double faster = clocks.alone_zero_ghz / clocks.alone_ghz;
  if (faster < kLeastClockRatio) return 1;
  const double sooner = gemm.duration(Probe::gemm_read) / gemm.duration(Probe::gemm_zero);
  return std::clamp(std::log(sooner) / std::log(faster), 0.0, 1.0);
}

std::optional<ClockFigures> clocks_of(const View& gemm) {
  ClockFigures clocks{gemm.clock(Probe::gemm_read), gemm.clock(Probe::together_read),
                      gemm.clock(Probe::gemm_zero), gemm.clock(Probe::zero_read), 1};
  const double least = std::min(std::min(clocks.alone_ghz, clocks.together_ghz),
                                std::min(clocks.alone_zero_ghz, clocks.together_zero_ghz));
  if (least <= 0) return std::nullopt;
  clocks.elasticity = elasticity_of(gemm, clocks);
  return clocks;
}

/// How many times longer the GEMM takes for its clock's sake.
double slower_by_clock(const ClockFigures& clocks, double alone_ghz, double together_ghz) {
  return std::pow(alone_ghz / together_ghz, clocks.elasticity);
}

/// How many times longer the GEMM takes in `beside` than in `alone`, the clock's share taken out.
double slower_by_contention(const View& gemm, const std::optional<ClockFigures>& clocks,
                            Probe alone, Probe beside) {
  const double slower = gemm.duration(beside) / gemm.duration(alone);
  const double clock = gemm.clock(beside);
  if (!clocks || clock <= 0) return slower;
  return slower / slower_by_clock(*clocks, gemm.clock(alone), clock);
}

void add_gemm_causes(const View& gemm, const Probed& probed, Attribution& result) {
  result.causes.push_back({"late launch", gemm.start(Probe::together) - gemm.start(Probe::gemm)});
  double alone = gemm.duration(Probe::gemm);
  if (gemm.has(Probe::gemm_share)) {
    const double on_share = gemm.duration(Probe::gemm_share);
    result.causes.push_back({"fewer units", on_share - alone});
    alone = on_share;
  }
  if (const auto& clocks = result.clocks) {
    const double slower = slower_by_clock(*clocks, clocks->alone_ghz, clocks->together_ghz);
    result.causes.push_back({"clock", alone * (slower - 1)});
  }
  const auto slower = [&](Probe by_itself, Probe beside) {
    return slower_by_contention(gemm, result.clocks, by_itself, beside);
  };
  const double contention = slower(Probe::gemm_zero, Probe::zero_read);
  if (probed.copies != Copies::too_large) {
    const bool fit = probed.copies == Copies::fit;
    result.causes.push_back({fit ? "cache and fabric" : "contention", alone * (contention - 1)});
    return;
  }
  const double on_chip = slower(Probe::gemm_read, Probe::small_read);
  const double on_chip_zero = slower(Probe::gemm_zero, Probe::small_zero);
  result.causes.push_back({"cache and fabric", alone * (on_chip - 1)});
  result.causes.push_back({"memory", alone * (contention - on_chip_zero)});
}

void add_comm_causes(const View& comm, const Probed& probed, Attribution& result) {
  const double alone = comm.duration(Probe::comm);
  result.causes.push_back({"late launch", comm.start(Probe::together) - comm.start(Probe::comm)});
  result.causes.push_back(
      {"power", comm.duration(Probe::together) - comm.duration(Probe::together_zero)});
  const double contention = comm.duration(Probe::together_zero) - alone;
  if (probed.copies == Copies::opaque) {
    result.causes.push_back({"contention", contention});
    return;
  }
  const double flags = comm.duration(Probe::together_flags) - comm.duration(Probe::comm_flags);
  result.causes.push_back({"flags", flags});
  double on_chip = contention;
  if (probed.copies == Copies::too_large) {
    const double small = comm.duration(Probe::comm_small);
    on_chip = alone * (comm.duration(Probe::small_zero) / small - 1);
    result.causes.push_back({"memory", contention - on_chip});
  }
  result.causes.push_back({"cache and fabric", on_chip - flags});
}

}  // namespace

Attribution attribute(const Probed& probed) {
  const auto gemm = times_of(probed.series.at(Probe::gemm));
  const auto comm = times_of(probed.series.at(Probe::comm));
  const auto together = times_of(probed.series.at(Probe::together));
  const Last last = last_of(probed.series.at(Probe::together));
  const View view(probed, last);

  Attribution result;
  result.last = last.task;
  result.rank = static_cast<int>(last.rank);
  result.loss = loss_of({gemm, comm, together, probed.seed});
  const Probe isolated = last.task == LastTask::gemm ? Probe::gemm : Probe::comm;
  result.slack_ms = std::max(trimmed_mean(gemm), trimmed_mean(comm)) - view.end(isolated);
  result.clocks = clocks_of(View(probed, {LastTask::gemm, last.rank}));
  if (!result.clocks) result.notes.emplace_back("no clock counters here");
  if (last.task == LastTask::gemm) add_gemm_causes(view, probed, result);
  if (last.task == LastTask::comm) add_comm_causes(view, probed, result);
  result.unexplained_ms = result.loss.lost_ms + result.slack_ms;
  for (const Cause& cause : result.causes) result.unexplained_ms -= cause.ms;
  return result;
}

}  // namespace conccl::bench
