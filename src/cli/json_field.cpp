// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/json_field.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace conccl::cli {
namespace {

SourcePosition position_of(std::string_view text, std::size_t byte, const std::string& name) {
  const auto before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
  const auto line_start = before.rfind('\n');
  const auto column =
      line_start == std::string_view::npos ? before.size() : before.size() - line_start - 1;
  return {name, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(column) + 1};
}

}  // namespace

std::string text_of(const std::string& path, std::string_view what) {
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (!file || std::filesystem::is_directory(path, ignored)) {
    throw InputError(fmt::format("{}: cannot be read; expected {}", path, what));
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

FieldJson json_of(std::string_view text, const std::string& name, std::string_view what) {
  try {
    return FieldJson::parse(text);
  } catch (const FieldJson::parse_error& error) {
    throw InputError(position_of(text, error.byte, name),
                     fmt::format("not JSON; expected {}", what));
  } catch (const FieldJson::exception&) {
    throw InputError(fmt::format("{}: a number that is too large; expected {}", name, what));
  }
}

}  // namespace conccl::cli
