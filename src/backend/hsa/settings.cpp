// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

constexpr double kLongestDeadline = 86'400;

constexpr std::array kVariables{"HSA_ENABLE_SDMA",
                                "HSA_ENABLE_PEER_SDMA",
                                "HSA_ENABLE_SDMA_GANG",
                                "HSA_ENABLE_SDMA_RECOMMENDED_ENG",
                                "HSA_REV_COPY_DIR",
                                "HSA_CU_MASK",
                                "HSA_ENABLE_IPC_MODE_LEGACY",
                                "ROCR_VISIBLE_DEVICES"};

std::optional<std::string_view> variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

template <typename Number>
std::optional<Number> parse(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<int> engines_in(std::string_view text) {
  std::vector<int> engines;
  for (std::string_view rest = text;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto id = parse<int>(rest.substr(0, comma));
    if (!id || *id < 0 || *id >= kMostEngines || std::ranges::count(engines, *id) != 0) {
      throw InputError(
          fmt::format("CONCCL_HSA_ENGINES=\"{}\": expected different engine ids of 0 to {}, "
                      "separated by commas",
                      text, kMostEngines - 1));
    }
    engines.push_back(*id);
    if (comma == rest.size()) return engines;
    rest.remove_prefix(comma + 1);
  }
}

std::chrono::milliseconds deadline_in(std::string_view text) {
  const auto seconds = parse<double>(text);
  if (!seconds || !std::isfinite(*seconds) || *seconds <= 0 || *seconds > kLongestDeadline) {
    throw InputError(
        fmt::format("CONCCL_HSA_DEADLINE=\"{}\": expected seconds, more than 0 and at most {}",
                    text, kLongestDeadline));
  }
  return std::chrono::milliseconds(std::max(1L, std::lround(*seconds * 1e3)));
}

bool batch_in(std::string_view text) {
  if (text == "0" || text == "1") return text == "1";
  throw InputError(fmt::format("CONCCL_HSA_BATCH=\"{}\": expected 0 or 1", text));
}

}  // namespace

Settings settings_from_environment() {
  Settings settings;
  if (const auto text = variable("CONCCL_HSA_ENGINES")) settings.engines = engines_in(*text);
  if (const auto text = variable("CONCCL_HSA_DEADLINE")) settings.deadline = deadline_in(*text);
  if (const auto text = variable("CONCCL_HSA_BATCH")) settings.batch = batch_in(*text);
  settings.reversed = variable("HSA_REV_COPY_DIR") == "1";
  return settings;
}

std::vector<std::pair<std::string, std::string>> runtime_variables() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const char* name : kVariables) {
    if (const auto value = variable(name)) found.emplace_back(name, *value);
  }
  return found;
}

std::vector<std::string> why_not_sdma() {
  std::vector<std::string> reasons;
  if (variable("HSA_ENABLE_SDMA") == "0") {
    reasons.emplace_back("HSA_ENABLE_SDMA=0 has the runtime copy on compute units; unset it");
  }
  if (variable("HSA_ENABLE_PEER_SDMA") == "0") {
    reasons.emplace_back(
        "HSA_ENABLE_PEER_SDMA=0 has the runtime copy to peers on compute units; unset it");
  }
  return reasons;
}

}  // namespace conccl::backend::hsa
