// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/soak/soak.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <span>

#include "conccl/core/errors.hpp"

namespace conccl::soak {
namespace {

constexpr std::chrono::seconds kBetweenProgress{10};
constexpr int kEarlyPart = 10;  ///< of the time, when resources are looked at first

static_assert(std::is_trivially_copyable_v<Findings>);
static_assert(sizeof(Findings) <= comm::Communicator::kMaxExchange);

Findings findings_in(const std::vector<std::byte>& bytes) {
  Findings findings;
  ensure_equal(bytes.size(), sizeof findings, "bytes of a rank's findings");
  std::memcpy(&findings, bytes.data(), sizeof findings);
  return findings;
}

}  // namespace

Soak::Soak(World& world, const SoakOptions& options)
    : world_(world),
      options_(options),
      runner_(world, options_),
      start_(std::chrono::steady_clock::now()) {}

Report Soak::run() {
  try {
    do {
      runner_.run_epoch(options_.first_epoch + epochs_++);
    } while (after_epoch() == Next::go_on);
    return report();
  } catch (const std::exception& error) {
    runner_.abort(error.what());
    throw RunError(fmt::format("{}; repeat with --seed {} --epoch {}", error.what(), options_.seed,
                               options_.first_epoch + epochs_ - 1));
  }
}

std::vector<Findings> Soak::gather_findings() {
  runner_.findings().elapsed = std::chrono::steady_clock::now() - start_;
  const auto own = std::as_bytes(std::span(&runner_.findings(), 1));
  std::vector<Findings> all;
  for (const auto& bytes : world_.everyone().exchange(own)) all.push_back(findings_in(bytes));
  return all;
}

void Soak::measure(Resources& into) {
  runner_.settle((options_.first_epoch + epochs_) * kOperationsPerEpoch - 1);
  // Ranks that are still, or again, at work would show in what the others measure.
  static_cast<void>(world_.everyone().exchange({}));
  into = settled_resources();
  static_cast<void>(world_.everyone().exchange({}));
}

Soak::Next Soak::after_epoch() {
  const auto all = gather_findings();
  const std::chrono::seconds whole(options_.seconds);
  // Rank 0's clock decides for all.
  const auto elapsed = all.front().elapsed;
  bool wrong = false;
  for (const auto& findings : all) wrong = wrong || findings.wrong_bytes > 0;
  if (!early_taken_ && elapsed >= whole / kEarlyPart) {
    early_taken_ = true;
    measure(runner_.findings().early);
  }
  if (world_.rank() == 0) show_progress(all.front());
  return wrong || elapsed >= whole ? Next::stop : Next::go_on;
}

void Soak::show_progress(const Findings& findings) {
  if (isatty(STDERR_FILENO) == 0 || findings.elapsed - last_shown_ < kBetweenProgress) return;
  last_shown_ = findings.elapsed;
  fmt::print(stderr, "soak: {:.0f} s, {} collectives, {} communicators\n",
             Seconds(findings.elapsed).count(), runner_.tally().collectives(),
             runner_.tally().communicators);
}

Report Soak::report() {
  measure(runner_.findings().late);
  if (!early_taken_) runner_.findings().early = runner_.findings().late;
  Report report;
  report.options = options_;
  report.ranks = world_.ranks();
  report.epochs = epochs_;
  report.tally = runner_.tally();
  report.by_rank = gather_findings();
  return report;
}

}  // namespace conccl::soak
