// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <optional>

#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

/// How errors call an option: its long name where it has one.
std::string shown_name(const std::string& names) {
  const auto comma = names.rfind(',');
  return comma == std::string::npos ? names : names.substr(comma + 1);
}

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

CLI::Option* add_int(CLI::App& app, const std::string& names, int& target, Limits limits,
                     const std::string& what) {
  const auto set = [&target, limits, name = shown_name(names)](const std::string& text) {
    const auto value = whole_number<std::int64_t>(text);
    if (!value || *value < limits.least || *value > limits.most) {
      throw InputError(fmt::format("{}: \"{}\" is not a whole number from {} to {}", name, text,
                                   limits.least, limits.most));
    }
    target = static_cast<int>(*value);
  };
  return app.add_option_function<std::string>(names, set, what)
      ->default_str(fmt::format("{}", target));
}

void add_seed(CLI::App& app, std::uint64_t& target) {
  const auto set = [&target](const std::string& text) {
    const auto value = whole_number<std::uint64_t>(text);
    if (!value) {
      throw InputError(fmt::format("--seed: \"{}\" is not a whole number from 0 to {}", text,
                                   std::numeric_limits<std::uint64_t>::max()));
    }
    target = *value;
  };
  app.add_option_function<std::string>("--seed", set, "seed of orders and operands")
      ->default_str(fmt::format("{}", target));
}

void add_bytes(CLI::App& app, const std::string& names, Bytes& target, const std::string& what) {
  const auto set = [&target, name = shown_name(names)](const std::string& text) {
    try {
      target = parse_bytes(text);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", name, error.what()));
    }
  };
  app.add_option_function<std::string>(names, set, what)->default_str(format_bytes(target));
}

std::vector<std::string> split_list(std::string_view text, std::string_view option) {
  std::vector<std::string> parts;
  while (true) {
    const auto comma = text.find(',');
    const auto part = text.substr(0, comma);
    if (part.empty()) {
      throw InputError(fmt::format("{}: an empty entry; expected names with commas", option));
    }
    parts.emplace_back(part);
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

plan::Direction parse_direction(std::string_view name) {
  if (name == "push") return plan::Direction::push;
  if (name == "pull") return plan::Direction::pull;
  throw InputError(fmt::format("--direction: \"{}\" is not one of push, pull", name));
}

}  // namespace conccl::cli
