// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A progress line on standard error, where that is a terminal.
#pragma once

#include "conccl/bench/study.hpp"

namespace conccl::cli {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const bench::StudyProgress& progress);
  /// Before anything else is printed.
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
};

/// "[#####-----] 12/30 llama70b_qkv, round 3/18"
[[nodiscard]] std::string progress_line(const bench::StudyProgress& progress);

}  // namespace conccl::cli
