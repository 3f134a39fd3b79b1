// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "core/toml_nesting.hpp"

#include <algorithm>

namespace conccl {
namespace {

/// Splits text only as far as brackets and dots inside strings and comments do not count.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  std::optional<std::size_t> run() {
    while (place_ < text_.size()) {
      const char c = text_[place_];
      if (c == '#') {
        place_ = line_end();
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        count(c);
        if (open_ > kMaxTomlNesting || dots_ >= kMaxTomlNesting) return place_;
        ++place_;
      }
    }
    return std::nullopt;
  }

 private:
  void count(char c) {
    if (c == '.') {
      ++dots_;
    } else if (c == '[' || c == '{') {
      ++open_;
      dots_ = 0;
    } else if (c == ']' || c == '}') {
      open_ = std::max(open_ - 1, 0);
      dots_ = 0;
    } else if (c == '=' || c == ',' || c == '\n') {
      dots_ = 0;
    }
  }

  [[nodiscard]] std::size_t line_end() const {
    return std::min(text_.find('\n', place_), text_.size());
  }

  [[nodiscard]] bool is_tripled(char quote) const {
    return text_.substr(place_).starts_with(quote == '"' ? R"(""")" : "'''");
  }

  void skip_string(char quote) {
    if (is_tripled(quote)) return skip_lines(quote);
    for (++place_; place_ < text_.size(); ++place_) {
      const char c = text_[place_];
      if (c == '\n') return;
      if (c == quote) break;
      if (is_escape(quote)) ++place_;
    }
    ++place_;
  }

  void skip_lines(char quote) {
    for (place_ += 3; place_ < text_.size() && !is_tripled(quote); ++place_) {
      if (is_escape(quote)) ++place_;
    }
    place_ += 3;
    // Up to two more quotes are the string's own.
    for (int i = 0; i < 2 && place_ < text_.size() && text_[place_] == quote; ++i) ++place_;
  }

  [[nodiscard]] bool is_escape(char quote) const { return quote == '"' && text_[place_] == '\\'; }

  std::string_view text_;
  std::size_t place_ = 0;
  int open_ = 0;
  int dots_ = 0;
};

}  // namespace

std::optional<std::size_t> excessive_toml_nesting(std::string_view toml) {
  return Scan(toml).run();
}

}  // namespace conccl
