// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "core/toml_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/toml_nesting.hpp"

namespace conccl {
namespace {

toml::source_position position_of(std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, place);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<toml::source_index>(lines + 1),
          static_cast<toml::source_index>(place - line_start + 1)};
}

}  // namespace

std::string read_toml_file(const std::string& path, std::string_view what) {
  std::ifstream file(path);
  std::ostringstream content;
  // Reading a directory opens but does not read; reading an empty file sets failbit alone.
  if (file) content << file.rdbuf();
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path)) {
    throw InputError(fmt::format("cannot read the {} file \"{}\": {}; expected a TOML file", what,
                                 path, std::strerror(errno)));
  }
  return content.str();
}

std::string join_path(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string TomlReader::title(std::string_view path) const {
  return path.empty() ? fmt::format("the {}", what_) : std::string(path);
}

toml::table TomlReader::parse(std::string_view text) const {
  if (const auto place = excessive_toml_nesting(text)) {
    fail(position_of(text, *place), fmt::format("nested deeper than {} levels", kMaxTomlNesting));
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail(error.source().begin, fmt::format("{}; expected TOML", error.description()));
  }
}

void TomlReader::fail(const toml::source_position& where, const std::string& message) const {
  throw InputError({file_, static_cast<int>(where.line), static_cast<int>(where.column)}, message);
}

void TomlReader::fail(const toml::node& node, const std::string& message) const {
  fail(node.source().begin, message);
}

void TomlReader::check_keys(const toml::table& table, const std::string& path, Names known) const {
  for (const auto& [key, node] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    fail(key.source().begin, fmt::format("{} has no field \"{}\"; expected one of {}", title(path),
                                         key.str(), fmt::join(known, ", ")));
  }
}

const toml::node& TomlReader::required(const toml::table& table, std::string_view key,
                                       const std::string& path) const {
  const toml::node* const node = table.get(key);
  if (node == nullptr) {
    fail(table, fmt::format("{} has no \"{}\"; expected one", title(path), key));
  }
  return *node;
}

const toml::table& TomlReader::as_table(const toml::node& node, const std::string& path) const {
  if (const toml::table* const table = node.as_table()) return *table;
  fail(node, fmt::format("{} is not a table; expected one", path));
}

std::string TomlReader::text(const toml::node& node, const std::string& path) const {
  const auto* const string = node.as_string();
  if (string == nullptr) fail(node, fmt::format("{} is not a string; expected one", path));
  if (string->get().empty()) fail(node, fmt::format("{} is empty; expected some text", path));
  return string->get();
}

std::string TomlReader::one_of(const toml::node& node, const std::string& path,
                               Names allowed) const {
  std::string value = text(node, path);
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    fail(node,
         fmt::format("{} is \"{}\"; expected one of {}", path, value, fmt::join(allowed, ", ")));
  }
  return value;
}

int TomlReader::count(const toml::node& node, const std::string& path) const {
  constexpr int kLargest = std::numeric_limits<int>::max();
  const auto* const integer = node.as_integer();
  if (integer == nullptr) {
    fail(node, fmt::format("{} is not a whole number; expected one of at least 1", path));
  }
  const std::int64_t value = integer->get();
  if (value < 1 || value > kLargest) {
    fail(node, fmt::format("{} is {}; expected between 1 and {}", path, value, kLargest));
  }
  return static_cast<int>(value);
}

double TomlReader::number(const toml::node& node, const std::string& path) const {
  if (!node.is_number()) fail(node, fmt::format("{} is not a number; expected one", path));
  return *node.value<double>();
}

Bytes TomlReader::bytes(const toml::node& node, const std::string& path) const {
  const Bytes value =
      parsed(node, path, [](const std::string& written) { return parse_bytes(written); });
  if (value == 0) fail(node, fmt::format("{} is zero; expected at least 1 byte", path));
  return value;
}

}  // namespace conccl
