// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/conformance/transcript.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

const char* text_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::differs:
      return "differs";
    case Verdict::skipped:
      return "skipped";
    case Verdict::not_run:
      return "unsafe, not run";
  }
  return "";
}

std::ptrdiff_t count_of(const std::vector<Result>& results, Verdict verdict) {
  return std::count_if(results.begin(), results.end(),
                       [verdict](const Result& one) { return one.verdict == verdict; });
}

void flush() { std::fflush(stdout); }

}  // namespace

void Transcript::facts(const std::vector<Fact>& facts) {
  const std::lock_guard lock(mutex_);
  for (const auto& fact : facts) fmt::print("{:<32}{}\n", fact.name, fact.value);
  facts_.insert(facts_.end(), facts.begin(), facts.end());
  flush();
}

void Transcript::begin(const Row& row) {
  const std::lock_guard lock(mutex_);
  open_ = row;
  fmt::print("{:<22}", row.name);
  flush();
}

void Transcript::end_locked(Verdict verdict, const std::string& text) {
  results_.push_back({open_->name, open_->rule, verdict, one_line(text)});
  open_.reset();
  const auto line = fmt::format("{:<9} {}", text_of(verdict), results_.back().text);
  fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  flush();
}

void Transcript::end(Verdict verdict, const std::string& text) {
  const std::lock_guard lock(mutex_);
  end_locked(verdict, text);
}

void Transcript::end_open(Verdict verdict, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (open_) end_locked(verdict, text);
}

void Transcript::speed(const Speed& speed) {
  const std::lock_guard lock(mutex_);
  speeds_.push_back(speed);
  fmt::print("{:<22}{:>6} {:>9.2f} GB/s\n", speed.what, format_bytes(speed.bytes), speed.gb_per_s);
  flush();
}

void Transcript::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  remarks_.push_back(one_line(line));
  fmt::print("{}\n", remarks_.back());
  flush();
}

void Transcript::print_counts() const {
  if (results_.empty()) return;
  fmt::print("{} ok, {} differ, {} skipped, {} unsafe and not run\n",
             count_of(results_, Verdict::ok), count_of(results_, Verdict::differs),
             count_of(results_, Verdict::skipped), count_of(results_, Verdict::not_run));
}

int Transcript::finish(End end, const std::string& json) {
  const std::lock_guard lock(mutex_);
  if (end.exit_code == 0 && count_of(results_, Verdict::differs) > 0) end.exit_code = 1;
  if (!end.reason.empty()) fmt::print("{}\n", one_line(end.reason));
  print_counts();
  flush();
  if (json.empty()) return end.exit_code;
  std::ofstream file(json);
  file << to_json(end) << "\n";
  file.close();
  if (file) return end.exit_code;
  fmt::print(stderr, "conccl-hsa-conformance: {} could not be written\n", json);
  return end.exit_code == 0 ? 4 : end.exit_code;
}

std::string Transcript::to_json(const End& end) const {
  using Json = nlohmann::ordered_json;
  Json report;
  report["format"] = "conccl-hsa-conformance 1";
  for (const auto& fact : facts_) report["facts"][fact.name] = fact.value;
  report["rows"] = Json::array();
  for (const auto& row : results_) {
    report["rows"].push_back({{"row", row.name},
                              {"rule", row.rule},
                              {"verdict", text_of(row.verdict)},
                              {"text", row.text}});
  }
  report["unseen"] = unseen_rules();
  report["bandwidth"] = Json::array();
  for (const auto& one : speeds_) {
    report["bandwidth"].push_back(
        {{"what", one.what}, {"bytes", one.bytes}, {"GB/s", one.gb_per_s}});
  }
  report["remarks"] = remarks_;
  report["ended early"] = end.reason.empty() ? Json(nullptr) : Json(one_line(end.reason));
  report["exit code"] = end.exit_code;
  // What a runtime says of itself need not be UTF-8.
  return report.dump(2, ' ', false, Json::error_handler_t::replace);
}

void demand_writable(const std::string& path) {
  if (path.empty() || std::ofstream(path)) return;
  throw InputError(fmt::format("--json {}: {}", path, std::strerror(errno)));
}

}  // namespace conccl::backend::hsa::conformance
