// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/errors.hpp"

#include <fmt/format.h>

namespace conccl {
namespace {

std::string prefix(const SourcePosition& where) {
  if (where.file.empty() && where.line == 0) return {};
  std::string text = where.file.empty() ? "line " : where.file;
  if (where.line > 0) {
    if (!where.file.empty()) text += ':';
    text += fmt::format("{}", where.line);
    if (where.column > 0) text += fmt::format(":{}", where.column);
  }
  return text + ": ";
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    if (!is_control(c)) {
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else {
      line += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    }
  }
  return line;
}

InputError::InputError(const SourcePosition& where, const std::string& message)
    : Error(prefix(where) + message) {}

void throw_broken_invariant(const std::string& detail, std::source_location where) {
  throw BrokenInvariant(fmt::format("{}:{}: {}: broken invariant: {}", where.file_name(),
                                    where.line(), where.function_name(), detail));
}

}  // namespace conccl
