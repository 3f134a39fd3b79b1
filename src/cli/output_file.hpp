// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `OutputFile`: a report's target, known to be writable before the run that fills it.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace conccl::cli {

/// "-" is standard output. A file is written beside its target and then renamed, so that whatever
/// was there stays whole until the new text is; devices and pipes are written in place.
class OutputFile {
 public:
  /// An empty path: `write` does nothing. Throws RunError when a first byte cannot be written.
  explicit OutputFile(const std::string& path);

  /// Replaces the content. Throws RunError with the reason.
  void write(std::string_view text) const;

  [[nodiscard]] bool is_stdout() const { return path_ == "-"; }
  /// Where tables go: standard output, unless that is the report's.
  [[nodiscard]] std::FILE* table_stream() const { return is_stdout() ? stderr : stdout; }

 private:
  void try_out() const;
  void replace(std::string_view text) const;

  std::filesystem::path path_;
  bool in_place_ = false;
};

}  // namespace conccl::cli
