// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `StudyScreen`: a study's table as it grows, and its files.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "conccl/bench/report.hpp"
#include "conccl/bench/study.hpp"

namespace conccl::cli {

/// Names of files to write; "-" is the standard output, empty is none.
struct ReportFiles {
  std::string json;
  std::string csv;
  std::string trace;
};

class StudyScreen {
 public:
  explicit StudyScreen(const ReportFiles& files);

  void show(const bench::StudyProgress& progress, const bench::Report& report);
  void row(const bench::Report& report, const std::vector<bench::Result>& results);
  /// A line of its own below the rows; nothing for an empty one.
  void note(const std::string& text);
  /// The end of the table, and the files.
  void foot(const bench::Report& report);

 private:
  void head(const bench::Report& report);
  /// At once, so that a reader sees rows as they come.
  void print(const std::string& text);

  OutputFile json_;
  OutputFile csv_;
  OutputFile trace_;
  std::FILE* table_;
  Progress progress_;
  bool headed_ = false;
  bool titled_ = false;
};

}  // namespace conccl::cli
