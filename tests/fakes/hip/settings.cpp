// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hip/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace conccl::test::fake_hip {
namespace {

bool parse(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

bool parse_list(std::string_view text, std::vector<int>& list) {
  list.clear();
  if (text == "all") return true;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    std::int64_t value = 0;
    if (!parse(word, value)) return false;
    list.push_back(static_cast<int>(value));
  }
  return !list.empty();
}

}  // namespace

Settings& settings() {
  // Never destroyed: streams run until the process ends.
  static auto* const instance = new Settings;
  return *instance;
}

Counters& counters() {
  static auto* const instance = new Counters;
  return *instance;
}

std::string Settings::set_locked(std::string_view name, std::string_view value) {
  const std::string wrong = std::string(name) + "=" + std::string(value) + ": not understood";
  std::int64_t number = 0;
  if (name == "fail") {
    fail_ = value;
    return {};
  }
  if (name == "order") return parse_list(value, order_) ? "" : wrong;
  if (!parse(value, number)) return wrong;
  if (name == "fail_at") {
    fail_at_ = number;
  } else if (name == "hang_at") {
    hang_at_ = number;
  } else if (name == "capturing") {
    capturing_ = number;
  } else {
    return wrong;
  }
  return {};
}

std::string Settings::set(std::string_view name, std::string_view value) {
  const std::lock_guard lock(mutex_);
  told_ = true;
  return set_locked(name, value);
}

std::string Settings::read_variable() {
  const char* const variable = std::getenv("CONCCL_FAKE_HIP");
  const std::lock_guard lock(mutex_);
  if (variable == nullptr || told_) return {};
  for (std::string_view text = variable; !text.empty();) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const auto equals = std::min(word.find('='), word.size());
    const auto value = word.substr(std::min(equals + 1, word.size()));
    if (auto why = set_locked(word.substr(0, equals), value); !why.empty()) return why;
  }
  return {};
}

void Settings::reset() {
  const std::lock_guard lock(mutex_);
  told_ = false;
  order_.clear();
  fail_.clear();
  fail_at_ = hang_at_ = 0;
  capturing_ = 0;
  ++generation_;
}

std::vector<int> Settings::order() {
  const std::lock_guard lock(mutex_);
  return order_;
}

bool Settings::strikes(std::string_view call) {
  const std::lock_guard lock(mutex_);
  if (call != fail_) return false;
  if (fail_at_ == 0) return true;
  if (--fail_at_ != 0) return false;
  fail_.clear();
  return true;
}

bool Settings::hangs() {
  const std::lock_guard lock(mutex_);
  return hang_at_ != 0 && --hang_at_ == 0;
}

}  // namespace conccl::test::fake_hip
