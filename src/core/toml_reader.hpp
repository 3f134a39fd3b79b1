// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Reading the project's TOML files strictly: every complaint is an InputError that names file,
/// line, column, the field and what was expected. For sources only; no header of the library
/// shows TOML types.
#pragma once

#include <toml++/toml.h>

#include <span>
#include <string>
#include <string_view>

#include "conccl/core/errors.hpp"
#include "conccl/core/units.hpp"

namespace conccl {

/// The whole file. Throws InputError when it cannot be read; `what` says what it should have been
/// ("machine", "suite").
[[nodiscard]] std::string read_toml_file(const std::string& path, std::string_view what);

/// `path.key`, or `key` at the root, where `path` is empty.
[[nodiscard]] std::string join_path(std::string_view path, std::string_view key);

/// Checks the nodes of one file. A `path` is the dotted name of a node, for messages; the root's is
/// empty. Every function throws InputError unless the node is what the function's name says.
class TomlReader {
 public:
  using Names = std::span<const std::string_view>;

  /// `file` is what errors call the file, `what` what they call its root ("machine", "suite").
  TomlReader(std::string_view file, std::string_view what) : file_(file), what_(what) {}

  [[nodiscard]] toml::table parse(std::string_view text) const;

  [[noreturn]] void fail(const toml::source_position& where, const std::string& message) const;
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const;

  void check_keys(const toml::table& table, const std::string& path, Names known) const;
  [[nodiscard]] const toml::node& required(const toml::table& table, std::string_view key,
                                           const std::string& path) const;
  [[nodiscard]] const toml::table& as_table(const toml::node& node, const std::string& path) const;
  /// Not empty.
  [[nodiscard]] std::string text(const toml::node& node, const std::string& path) const;
  [[nodiscard]] std::string one_of(const toml::node& node, const std::string& path,
                                   Names allowed) const;
  /// At least 1.
  [[nodiscard]] int count(const toml::node& node, const std::string& path) const;
  /// Whole or not.
  [[nodiscard]] double number(const toml::node& node, const std::string& path) const;
  /// A text such as "896M", at least 1 byte.
  [[nodiscard]] Bytes bytes(const toml::node& node, const std::string& path) const;
  /// What `parse` makes of a text; its InputError gains the position.
  template <typename Parse>
  [[nodiscard]] auto parsed(const toml::node& node, const std::string& path, Parse parse) const {
    const std::string written = text(node, path);
    try {
      return parse(written);
    } catch (const InputError& error) {
      fail(node, path + ": " + error.what());
    }
  }

 private:
  /// What errors call the table at `path`.
  [[nodiscard]] std::string title(std::string_view path) const;

  std::string file_;
  std::string what_;
};

}  // namespace conccl
