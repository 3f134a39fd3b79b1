// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/sustained/sustained_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

constexpr int kGo = 0;
constexpr int kProgress = 1;
// Runs between two looks at how far the devices are; the host is at most kAhead chunks ahead, which
// is far less than streams hold.
constexpr int kChunk = 8;
constexpr std::uint64_t kAhead = 3;
// No round of a workload has such a number, so that its bytes are none of these.
constexpr std::uint64_t kFirstRound = std::uint64_t{1} << 40;

/// The same on every rank.
int chunks_for(Seconds burst, double run_ms) {
  constexpr double kMost = 1000;
  const double runs = burst.count() * 1e3 / std::max(run_ms, 1e-3);
  return static_cast<int>(std::clamp(std::ceil(runs / kChunk), static_cast<double>(kAhead), kMost));
}

}  // namespace

/// What is enqueued behind the timed runs of a burst; by local rank.
struct SustainedRounds::Checks {
  std::vector<std::vector<std::unique_ptr<backend::Task>>> renewals;
  std::vector<backend::Comparison> results;
  std::vector<std::unique_ptr<backend::Task>> compares;
  std::vector<backend::Timestamp> starts;
  std::vector<backend::Timestamp> ends;

  Checks(const SustainedSite& site, std::uint64_t round)
      : renewals(site.ranks.local_count()),
        results(site.ranks.local_count()),
        starts(site.ranks.local_count()),
        ends(site.ranks.local_count()) {
    const plan::Request& request = site.workload.request();
    const bool in_place = request.placement == plan::Placement::in_place;
    for (std::size_t local = 0; local < results.size(); ++local) {
      auto& device = site.ranks.device(local);
      const RankWork& work = site.workload.work(local);
      const backend::Pattern pattern{site.ranks.rank_of(local), round};
      renewals[local].push_back(device.make_poison(work.recv, plan::recv_bytes(request)));
      renewals[local].push_back(device.make_fill(
          in_place ? work.recv : const_cast<void*>(work.send), {input_stretch(request, pattern)}));
      compares.push_back(
          device.make_compare(work.recv, expected_stretches(request, pattern), results[local]));
    }
  }
};

SustainedRounds::SustainedRounds(const SustainedSite& site, const SustainedOptions& options)
    : site_(site), options_(options), flags_(site.ranks.shared_flags(2)) {}

void SustainedRounds::enqueue_run(const SustainedSubject& subject) {
  const Configuration& configuration = subject.configuration;
  comm::Group group;
  for (std::size_t local = 0; local < site_.ranks.local_count(); ++local) {
    const auto& lanes = configuration.lanes[static_cast<std::size_t>(site_.ranks.rank_of(local))];
    const RankWork& work = site_.workload.work(local);
    site_.ranks.communicator(local).run(
        {&lanes, configuration.request, configuration.flags, work.send, work.recv, work.tasks, {}},
        site_.ranks.stream(local));
  }
  group.end();
}

void SustainedRounds::enqueue_chunk(const SustainedSubject& subject) {
  for (int run = 0; run < kChunk; ++run) enqueue_run(subject);
  ++chunks_;
  for (std::size_t local = 0; local < site_.ranks.local_count(); ++local) {
    auto& stream = site_.ranks.stream(local);
    const auto rank = static_cast<std::size_t>(site_.ranks.rank_of(local));
    stream.signal({flags_[rank], kProgress}, chunks_);
    stream.submit();
  }
}

void SustainedRounds::keep_near() {
  for (std::size_t local = 0; local < site_.ranks.local_count(); ++local) {
    const int rank = site_.ranks.rank_of(local);
    const auto reached = flags_[static_cast<std::size_t>(rank)]->wait(
        kProgress, chunks_ + 1 - kAhead, options_.deadline);
    if (const auto reason = site_.ranks.communicator(local).async_error()) throw RunError(*reason);
    if (reached == backend::WaitResult::raised) continue;
    throw RunError(fmt::format("rank {}: runs back to back have not moved on for {} ms", rank,
                               options_.deadline.count()));
  }
}

void SustainedRounds::follow(const SustainedSubject& subject, int chunks) {
  for (int chunk = 0; chunk < chunks; ++chunk) {
    keep_near();
    enqueue_chunk(subject);
  }
}

Nanoseconds SustainedRounds::run_burst(const SustainedSubject& subject, int chunks,
                                       Checks& checks) {
  Ranks& ranks = site_.ranks;
  const int gated = static_cast<int>(kAhead) - 1;
  for (std::size_t local = 0; local < ranks.local_count(); ++local) {
    ranks.stream(local).wait({flags_[0], kGo}, bursts_);
    ranks.stream(local).timestamp(checks.starts[local]);
  }
  for (int chunk = 0; chunk < gated; ++chunk) enqueue_chunk(subject);
  const bool stop = site_.interrupt != nullptr && site_.interrupt->load();
  const auto agreed = ranks.meet(stop ? Ranks::Wish::stop : Ranks::Wish::go_on);
  if (ranks.leads()) flags_[0]->raise(kGo, bursts_);
  if (agreed == Ranks::Wish::go_on) follow(subject, chunks - gated);
  for (std::size_t local = 0; local < ranks.local_count(); ++local) {
    auto& stream = ranks.stream(local);
    stream.timestamp(checks.ends[local]);
    if (!subject.parts.has_comm()) continue;
    for (const auto& task : checks.renewals[local])
      stream.compute(*task, {ranks.rank_of(local), 0});
  }
  enqueue_run(subject);
  for (std::size_t local = 0; local < ranks.local_count(); ++local) {
    auto& stream = ranks.stream(local);
    if (subject.parts.has_comm())
      stream.compute(*checks.compares[local], {ranks.rank_of(local), 0});
    stream.submit();
  }
  ranks.synchronize();
  if (agreed == Ranks::Wish::stop) throw Interrupted("interrupted");
  std::vector<Nanoseconds> spans;
  for (std::size_t local = 0; local < ranks.local_count(); ++local) {
    spans.push_back(checks.ends[local] - checks.starts[local]);
  }
  const auto all = ranks.gather(spans);
  return *std::max_element(all.begin(), all.end());
}

Nanoseconds SustainedRounds::burst(const SustainedSubject& subject, int chunks,
                                   CheckCounts& counts) {
  ++bursts_;
  if (subject.parts.has_gemm()) {
    for (const auto& gemm : site_.gemms) gemm->poison_result();
  }
  Checks checks(site_, kFirstRound + bursts_);
  try {
    const Nanoseconds time = run_burst(subject, chunks, checks);
    check(subject, checks, counts);
    return time;
  } catch (const Interrupted&) {
    throw;
  } catch (const CheckFailed&) {
    throw;
  } catch (const std::exception& error) {
    // Nothing queued may outlive the tasks and buffers it names.
    site_.ranks.abort(error.what());
    for (auto* block : flags_) block->poison();
    site_.ranks.drain(error.what());
    throw;
  }
}

void SustainedRounds::check(const SustainedSubject& subject, const Checks& checks,
                            CheckCounts& counts) const {
  std::vector<std::uint64_t> local(site_.ranks.local_count());
  if (subject.parts.has_gemm()) {
    for (std::size_t i = 0; i < site_.gemms.size(); ++i) local[i] = site_.gemms[i]->mismatches();
  }
  const auto wrong = site_.ranks.gather(local);
  const auto compared = site_.ranks.gather(checks.results);
  for (std::size_t rank = 0; rank < wrong.size(); ++rank) {
    counts.gemm_mismatches += wrong[rank];
    counts.bytes += compared[rank].compared;
    counts.mismatches += compared[rank].mismatches;
    if (compared[rank].mismatches > 0) {
      throw CheckFailed(fmt::format("{}: back to back: {}", subject.name,
                                    mismatch_text(compared[rank], static_cast<int>(rank))));
    }
    if (wrong[rank] > 0) {
      throw CheckFailed(
          fmt::format("{}: back to back: rank {}: {} bytes of the GEMM's result differ from its "
                      "isolated result",
                      subject.name, rank, wrong[rank]));
    }
    if (!subject.parts.has_comm()) continue;
    ensure_equal(compared[rank].compared, plan::recv_bytes(site_.workload.request()),
                 "bytes compared");
  }
}

SustainedTime SustainedRounds::run(const SustainedSubject& subject) {
  SustainedTime result;
  result.name = subject.name;
  result.rounds_ms = subject.rounds_ms;
  const int chunks = chunks_for(std::min(options_.burst, options_.each), subject.rounds_ms);
  Nanoseconds total{};
  while (total < options_.each) {
    total += burst(subject, chunks, result.check);
    result.runs += static_cast<std::uint64_t>(chunks) * kChunk;
  }
  result.seconds = Seconds(total).count();
  result.mean_ms = to_ms(total) / static_cast<double>(result.runs);
  return result;
}

}  // namespace conccl::bench
