// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "core/figure_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace conccl {

double FigureReader::share(const toml::node& node, const std::string& path) const {
  const double value = number(node, path);
  if (!(value > 0 && value <= 1)) {
    fail(node, fmt::format("{} is {}; expected over 0, at most 1", path, value));
  }
  return value;
}

double FigureReader::factor(const toml::node& node, const std::string& path) const {
  const double value = number(node, path);
  if (!(value >= 1) || std::isinf(value)) {
    fail(node, fmt::format("{} is {}; expected a number of at least 1", path, value));
  }
  return value;
}

double FigureReader::quantity(const toml::node& node, const std::string& path,
                              Quantity kind) const {
  if (node.is_number()) {
    fail(node, fmt::format("{} has no unit; expected {}", path, expected_of(kind)));
  }
  return parsed(node, path,
                [&](const std::string& written) { return parse_quantity(written, kind); });
}

double FigureReader::positive(const toml::node& node, const std::string& path,
                              Quantity kind) const {
  const double value = quantity(node, path, kind);
  if (!(value > 0)) fail(node, fmt::format("{} is zero; expected more", path));
  return value;
}

const toml::node& FigureReader::figure(const toml::node& node, const std::string& path,
                                       const std::string& field) {
  static constexpr std::array<std::string_view, 2> kKeys{"value", "source"};
  const toml::table* const table = node.as_table();
  if (table == nullptr) {
    fail(node, fmt::format("{} has no source; expected {{ value = ..., source = \"...\" }}", path));
  }
  check_keys(*table, path, kKeys);
  cite(*table, path, field);
  return required(*table, "value", path);
}

void FigureReader::cite(const toml::table& table, const std::string& path,
                        const std::string& field) {
  sources_[field] = text(required(table, "source", path), join_path(path, "source"));
}

}  // namespace conccl
