// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Reading the figures of a machine file: values with their sources. For sources only.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/machine_fields.hpp"
#include "core/toml_reader.hpp"

namespace conccl {

/// The keys of a table of figures, and the others that it may have.
template <typename Figures>
std::vector<std::string_view> keys_of(const Figures& figures,
                                      std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> keys(others);
  for (const auto& figure : figures) keys.push_back(figure.key);
  return keys;
}

/// Complains as `TomlReader` does.
class FigureReader : public TomlReader {
 public:
  explicit FigureReader(std::string_view file) : TomlReader(file, "machine") {}

  [[nodiscard]] double quantity(const toml::node& node, const std::string& path,
                                Quantity kind) const;
  /// More than zero.
  [[nodiscard]] double positive(const toml::node& node, const std::string& path,
                                Quantity kind) const;

  /// The value of `{ value = ..., source = "..." }`; keeps the source under `field`.
  const toml::node& figure(const toml::node& node, const std::string& path,
                           const std::string& field);
  /// Those of `list` that the table has; their fields behind `prefix`.
  template <typename Facts, typename Figures>
  void figures(const toml::table& table, const std::string& path, const Figures& list, Facts& facts,
               const std::string& prefix = "");
  /// A bare number of at least 1.
  [[nodiscard]] double factor(const toml::node& node, const std::string& path) const;
  /// Keeps the table's "source" under `field`.
  void cite(const toml::table& table, const std::string& path, const std::string& field);

  /// By field, of all that was read.
  [[nodiscard]] const std::map<std::string, std::string>& sources() const { return sources_; }

 private:
  [[nodiscard]] double share(const toml::node& node, const std::string& path) const;
  template <typename Scale>
  [[nodiscard]] double scaled(const toml::node& node, const std::string& path,
                              const Scale& scale) const;

  std::map<std::string, std::string> sources_;
};

template <typename Scale>
double FigureReader::scaled(const toml::node& node, const std::string& path,
                            const Scale& scale) const {
  if (const auto* const kind = std::get_if<Quantity>(&scale)) return positive(node, path, *kind);
  return std::holds_alternative<Factor>(scale) ? factor(node, path) : share(node, path);
}

template <typename Facts, typename Figures>
void FigureReader::figures(const toml::table& table, const std::string& path, const Figures& list,
                           Facts& facts, const std::string& prefix) {
  for (const auto& entry : list) {
    const toml::node* const node = table.get(entry.key);
    if (node == nullptr) continue;
    const std::string name = join_path(path, entry.key);
    const toml::node& value = figure(*node, name, prefix + std::string(entry.field));
    if (const auto* const whole = std::get_if<int Facts::*>(&entry.member)) {
      facts.** whole = count(value, name);
    } else if (const auto* const size = std::get_if<Bytes Facts::*>(&entry.member)) {
      facts.** size = bytes(value, name);
    } else {
      facts.*std::get<double Facts::*>(entry.member) = scaled(value, name, entry.scale);
    }
  }
}

}  // namespace conccl
