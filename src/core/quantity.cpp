// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "core/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "conccl/core/errors.hpp"

namespace conccl {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

/// The first unit is the one values are kept in.
struct Units {
  std::span<const Unit> all;
  std::string_view example;
};

Units units_of(Quantity quantity) {
  static constexpr std::array kBandwidth{Unit{"GB/s", 1}, Unit{"TB/s", 1e3}, Unit{"MB/s", 1e-3}};
  static constexpr std::array kRate{Unit{"TFLOP/s", 1}, Unit{"PFLOP/s", 1e3},
                                    Unit{"GFLOP/s", 1e-3}};
  static constexpr std::array kDuration{Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6}};
  static constexpr std::array kPower{Unit{"W", 1}, Unit{"kW", 1e3}};
  if (quantity == Quantity::bandwidth) return {kBandwidth, "5300 GB/s"};
  if (quantity == Quantity::compute_rate) return {kRate, "1307.4 TFLOP/s"};
  if (quantity == Quantity::power) return {kPower, "750 W"};
  return {kDuration, "24 us"};
}

std::string names(std::span<const Unit> units) {
  std::string text;
  for (const Unit& unit : units) {
    if (!text.empty()) text += ", ";
    text += unit.name;
  }
  return text;
}

std::string expected_of(const Units& units) {
  return fmt::format("a number and one of {}, such as \"{}\"", names(units.all), units.example);
}

[[noreturn]] void reject(std::string_view text, std::string_view why, const Units& units) {
  throw InputError(fmt::format("\"{}\": {}; expected {}", text, why, expected_of(units)));
}

/// The number that `text` starts with, which is left with what follows it.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return value;
}

}  // namespace

std::string expected_of(Quantity quantity) { return expected_of(units_of(quantity)); }

double parse_quantity(std::string_view text, Quantity quantity) {
  const Units units = units_of(quantity);
  std::string_view name = text;
  const auto number = take_number(name);
  if (!number) reject(text, "it does not start with a number", units);
  if (*number < 0) reject(text, "it is negative", units);
  if (name.starts_with(' ')) name.remove_prefix(1);
  if (name.empty()) reject(text, "it has no unit", units);
  for (const Unit& unit : units.all) {
    if (unit.name != name) continue;
    const double value = *number * unit.factor;
    if (!std::isfinite(value)) reject(text, "it is too large", units);
    return value;
  }
  reject(text, fmt::format("the unit \"{}\" is not known", name), units);
}

std::string format_quantity(double value, Quantity quantity) {
  const Units units = units_of(quantity);
  std::string shortest = fmt::format("{} {}", value, units.all.front().name);
  for (const Unit& unit : units.all.subspan(1)) {
    const double number = value / unit.factor;
    if (!std::isfinite(number)) continue;
    const std::string text = fmt::format("{} {}", number, unit.name);
    if (text.size() < shortest.size() && parse_quantity(text, quantity) == value) shortest = text;
  }
  return shortest;
}

}  // namespace conccl
