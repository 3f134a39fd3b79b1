// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Soak`: epoch after epoch until the time is up, one rank's part.
#pragma once

#include "tests/soak/report.hpp"
#include "tests/soak/runner.hpp"

namespace conccl::soak {

class Soak {
 public:
  /// `world` must outlive it.
  Soak(World& world, const SoakOptions& options);

  /// The same report on every rank. Throws RunError when something breaks on the way; all
  /// communicators have failed then.
  [[nodiscard]] Report run();

 private:
  enum class Next { go_on, stop };

  [[nodiscard]] Next after_epoch();
  [[nodiscard]] std::vector<Findings> gather_findings();
  void measure(Resources& into);
  void show_progress(const Findings& findings);
  [[nodiscard]] Report report();

  World& world_;
  SoakOptions options_;
  Runner runner_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::nanoseconds last_shown_{};
  std::uint64_t epochs_ = 0;
  bool early_taken_ = false;
};

}  // namespace conccl::soak
