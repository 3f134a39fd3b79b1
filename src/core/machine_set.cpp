// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>

#include "conccl/core/errors.hpp"
#include "conccl/core/machine.hpp"
#include "core/toml_reader.hpp"

namespace conccl {
namespace {

constexpr const char* kSource = "set";
/// No figure's name has more dots.
constexpr std::ptrdiff_t kDeepest = 3;

struct Setting {
  std::string field;
  std::string value;
};

Setting setting_in(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InputError(fmt::format("setting: \"{}\"; expected FIELD=VALUE", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// A table of the key "value" and no other; nullopt where the text is no value in TOML.
std::optional<toml::table> value_in(const std::string& text) {
  try {
    toml::table parsed = TomlReader("setting", "setting").parse("value = " + text);
    return parsed.size() == 1 ? std::optional(std::move(parsed)) : std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// What the text is in TOML, or else a string of it ("28", "[[64, 1]]"; "100 GB/s"): a figure with
/// a unit has no quotes on a command line.
void insert(toml::table& table, const std::string& key, const std::string& text) {
  if (const auto parsed = value_in(text)) {
    table.insert_or_assign(key, *parsed->get("value"));
  } else {
    table.insert_or_assign(key, text);
  }
}

/// The table that holds the field, made where the file has none; `key` becomes the field's last
/// part.
toml::table& table_of(toml::table& root, const std::string& field, std::string& key) {
  if (std::count(field.begin(), field.end(), '.') > kDeepest) {
    throw InputError(fmt::format("setting: {} has more than {} dots; expected a figure's name",
                                 field, kDeepest));
  }
  toml::table* table = &root;
  std::istringstream parts(field);
  std::getline(parts, key, '.');
  for (std::string next; std::getline(parts, next, '.'); key = next) {
    if (table->get(key) == nullptr) table->insert(key, toml::table{});
    toml::node* const node = table->get(key);
    if (node->is_array()) {
      throw InputError(
          fmt::format("setting: {} is in a list; expected a figure outside \"{}\"", field, key));
    }
    table = node->as_table();
    if (table == nullptr) {
      throw InputError(fmt::format(
          "setting: {} is a figure of its own; expected no more than \"{}\"", field, key));
    }
  }
  return *table;
}

void set(toml::table& root, const Setting& setting) {
  std::string key;
  toml::table& table = table_of(root, setting.field, key);
  const auto* const now = table.get(key);
  if (now != nullptr && now->is_string()) {
    table.insert_or_assign(key, setting.value);
    return;
  }
  toml::table figure;
  insert(figure, "value", setting.value);
  figure.insert("source", kSource);
  table.insert_or_assign(key, std::move(figure));
}

}  // namespace

Machine with_settings(const Machine& machine, std::span<const std::string> settings) {
  if (settings.empty()) return machine;
  toml::table root = toml::parse(to_toml(machine));
  for (const auto& text : settings) set(root, setting_in(text));
  std::ostringstream changed;
  changed << root;
  return parse_machine(changed.str(), fmt::format("{} with settings", machine.name));
}

}  // namespace conccl
