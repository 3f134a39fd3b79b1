// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace conccl::test::fake_hsa {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostStatus = 0xFFFF;

struct Row {
  const char* name;
  std::int64_t usual;
  std::int64_t least;
  std::int64_t most;
  bool layout;
};

// In the order of `Setting`.
constexpr std::array kRows{
    Row{"gpus", 8, 0, 32, true},
    Row{"cpus", 2, 1, 8, true},
    Row{"sdma", 2, 0, 8, true},
    Row{"xgmi", 14, 0, 24, true},
    Row{"compute_units", 8, 1, 1024, true},
    Row{"usable_units", 0, 0, 1024, true},
    Row{"memory_mib", 4096, 1, 1 << 20, true},
    Row{"isa", 0x942, 0x700, 0xFFFF, true},
    Row{"ring", 64, 1, 1 << 16, true},
    Row{"init_status", 0, 0, kMostStatus, true},
    Row{"preferred", 1, 0, 2, false},
    Row{"fail_submit_at", 0, 0, kMost, false},
    Row{"submit_status", 0x1008, 1, kMostStatus, false},
    Row{"fail_copy_at", 0, 0, kMost, false},
    Row{"lose_completion_at", 0, 0, kMost, false},
    Row{"event_at", 0, 0, kMost, false},
    Row{"slow_copy_us", 0, 0, 60'000'000, false},
    Row{"overlap", 0, 0, 1, false},
    Row{"busy", 0, 0, 1, false},
    Row{"cu_engine", -1, -1, 31, false},
    Row{"hang_engine", -1, -1, 31, false},
    Row{"deny_access", 0, 0, 1, false},
    Row{"no_peer_access", 0, 0, 1, false},
    Row{"refuse_allocation", 0, 0, 1, false},
    Row{"attach_fails", 0, 0, 1, false},
    Row{"queue_fails", 0, 0, 1, false},
    Row{"kernel_fault_at", 0, 0, kMost, false},
};
static_assert(kRows.size() == static_cast<std::size_t>(Setting::count));

std::size_t row_of(std::string_view name) {
  std::size_t at = 0;
  while (at < kRows.size() && name != kRows[at].name) ++at;
  return at;
}

/// "12", "0x1008", "gfx942", "one", "many".
bool parse(std::string_view text, std::int64_t& value) {
  if (text == "one" || text == "many") {
    value = text == "one" ? 1 : 2;
    return true;
  }
  int base = 10;
  for (const std::string_view prefix : {"0x", "gfx"}) {
    if (!text.starts_with(prefix)) continue;
    text.remove_prefix(prefix.size());
    base = 16;
  }
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  return error == std::errc() && stop == end;
}

std::string quoted(std::string_view text) {
  std::string all(1, '"');
  return all.append(text).append(1, '"');
}

}  // namespace

Settings::Settings() {
  for (std::size_t i = 0; i < kCount; ++i) values_[i] = kRows[i].usual;
}

std::string Settings::set(std::string_view name, std::string_view value) {
  const auto at = row_of(name);
  if (at == kRows.size()) return "no setting is called " + quoted(name);
  const Row& row = kRows[at];
  std::int64_t number = 0;
  if (!parse(value, number) || number < row.least || number > row.most) {
    return std::string(row.name) + ": " + quoted(value) + " is not a number from " +
           std::to_string(row.least) + " to " + std::to_string(row.most);
  }
  const std::lock_guard lock(mutex_);
  told_[at] = number;
  if (!row.layout) values_[at] = number;
  return {};
}

std::string Settings::set_all(std::string_view text) {
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) return quoted(word) + " is not name=value";
    if (auto why = set(word.substr(0, equals), word.substr(equals + 1)); !why.empty()) return why;
  }
  return {};
}

std::string Settings::reload() {
  std::map<std::size_t, std::int64_t> told;
  {
    const std::lock_guard lock(mutex_);
    told = told_;
  }
  const char* const variable = std::getenv("CONCCL_FAKE_HSA");
  auto why = set_all(variable != nullptr ? variable : "");
  const std::lock_guard lock(mutex_);
  auto in_effect = told_;
  told_ = told;
  if (!why.empty()) return "CONCCL_FAKE_HSA: " + why;
  for (const auto& [at, number] : told) in_effect[at] = number;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto found = in_effect.find(i);
    values_[i] = found != in_effect.end() ? found->second : kRows[i].usual;
  }
  return {};
}

void Settings::reset() {
  const std::lock_guard lock(mutex_);
  told_.clear();
  for (std::size_t i = 0; i < kCount; ++i) {
    if (!kRows[i].layout) values_[i] = kRows[i].usual;
  }
}

bool Settings::strikes(Setting setting) {
  auto& left = values_[static_cast<std::size_t>(setting)];
  auto now = left.load();
  while (now > 0 && !left.compare_exchange_weak(now, now - 1)) {
  }
  return now == 1;
}

bool Settings::find(std::string_view name, std::int64_t& found) const {
  const auto at = row_of(name);
  if (at == kRows.size()) return false;
  found = values_[at];
  return true;
}

Settings& settings() {
  static auto* const all = new Settings;  // outlives threads that still run at exit
  return *all;
}

}  // namespace conccl::test::fake_hsa
