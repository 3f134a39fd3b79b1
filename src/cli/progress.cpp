// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace conccl::cli {
namespace {

constexpr std::size_t kBarWidth = 24;
constexpr const char* kClearLine = "\r\x1b[K";

double share_of(const bench::StudyProgress& progress) {
  if (progress.scenarios == 0) return 0;
  const double rounds = std::max(progress.rounds, 1);
  const double done = static_cast<double>(progress.scenario) + progress.round / rounds;
  return std::clamp(done / static_cast<double>(progress.scenarios), 0.0, 1.0);
}

}  // namespace

std::string progress_line(const bench::StudyProgress& progress) {
  const auto full = static_cast<std::size_t>(share_of(progress) * static_cast<double>(kBarWidth));
  return fmt::format("[{}{}] {}/{} {}, round {}/{}", std::string(full, '#'),
                     std::string(kBarWidth - full, '-'), progress.scenario + 1, progress.scenarios,
                     progress.name, progress.round, progress.rounds);
}

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::show(const bench::StudyProgress& progress) {
  if (!terminal_) return;
  fmt::print(stderr, "{}{}", kClearLine, progress_line(progress));
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs(kClearLine, stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace conccl::cli
