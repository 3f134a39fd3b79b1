// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What was found: printed as it comes, so that nothing is lost when the library ends the process.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend/hsa/conformance/facts.hpp"
#include "backend/hsa/conformance/rows.hpp"

namespace conccl::backend::hsa::conformance {

enum class Verdict { ok, differs, skipped, not_run };

struct Result {
  std::string name;
  std::string rule;
  Verdict verdict = Verdict::ok;
  std::string text;
};

/// Bytes per second of one or several copies at once.
struct Speed {
  std::string what;
  Bytes bytes = 0;  ///< of one copy
  double gb_per_s = 0;
};

/// May be used by several threads.
class Transcript {
 public:
  void facts(const std::vector<Fact>& facts);
  void begin(const Row& row);
  /// Of the row that was begun.
  void end(Verdict verdict, const std::string& text);
  /// Of a row that was begun and has not ended, if there is one.
  void end_open(Verdict verdict, const std::string& text);
  void speed(const Speed& speed);
  void say(const std::string& line);

  struct End {
    int exit_code = 0;
    std::string reason;  ///< why it ended early; empty: it did not
  };
  /// Prints the counts. `exit_code` is raised to 1 when a row differs.
  [[nodiscard]] int finish(End end, const std::string& json);

 private:
  void end_locked(Verdict verdict, const std::string& text);
  void print_counts() const;
  [[nodiscard]] std::string to_json(const End& end) const;

  std::mutex mutex_;
  std::vector<Fact> facts_;
  std::vector<Result> results_;
  std::optional<Row> open_;
  std::vector<Speed> speeds_;
  std::vector<std::string> remarks_;
};

/// Throws InputError when a file cannot be written; makes it empty.
void demand_writable(const std::string& path);

}  // namespace conccl::backend::hsa::conformance
