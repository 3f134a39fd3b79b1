// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Reading JSON with errors that name file and field. For sources only.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/core/errors.hpp"

namespace conccl::cli {

using FieldJson = nlohmann::json;

/// A value of the file and how errors call its place. What it is of must outlive it.
class Field {
 public:
  Field(const FieldJson& json, std::string place) : json_(json), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}: {}", place_, message));
  }
  [[nodiscard]] Field at(const char* name) const {
    if (!json_.is_object()) fail("not an object; expected one");
    const auto found = json_.find(name);
    if (found == json_.end()) fail(fmt::format("no \"{}\"; expected it", name));
    return {*found, fmt::format("{}: {}", place_, name)};
  }
  [[nodiscard]] std::vector<Field> list() const {
    if (!json_.is_array()) fail("not a list; expected one");
    std::vector<Field> items;
    for (const FieldJson& item : json_) {
      items.emplace_back(item, fmt::format("{}[{}]", place_, items.size()));
    }
    return items;
  }
  [[nodiscard]] std::string text() const {
    if (!json_.is_string()) fail("not a text; expected one");
    return json_.get<std::string>();
  }
  [[nodiscard]] bool flag() const {
    if (!json_.is_boolean()) fail("neither true nor false; expected one of them");
    return json_.get<bool>();
  }
  /// A time in milliseconds.
  [[nodiscard]] double time() const {
    if (!json_.is_number() || !(json_.get<double>() > 0)) fail("expected a number over zero");
    return json_.get<double>();
  }
  /// The same, or zero: what does nothing takes no time.
  [[nodiscard]] double time_or_zero() const {
    return json_.is_number() && json_.get<double>() == 0 ? 0 : time();
  }
  /// Of something, from none of it to all.
  [[nodiscard]] double share() const {
    const bool fits = json_.is_number() && json_.get<double>() >= 0 && json_.get<double>() <= 1;
    if (!fits) fail("expected a number from 0 to 1");
    return json_.get<double>();
  }
  [[nodiscard]] std::optional<double> share_or_none() const {
    if (json_.is_null()) return std::nullopt;
    return share();
  }
  [[nodiscard]] std::uint64_t whole(std::uint64_t least, std::uint64_t most) const {
    const bool counts = json_.is_number_unsigned();
    if (!counts || json_.get<std::uint64_t>() < least || json_.get<std::uint64_t>() > most) {
      fail(fmt::format("expected a whole number from {} to {}", least, most));
    }
    return json_.get<std::uint64_t>();
  }
  /// What `parse` makes of the text; its complaint gets the place.
  template <typename Parse>
  [[nodiscard]] auto parsed(Parse parse) const {
    const std::string value = text();
    try {
      return parse(value);
    } catch (const InputError& error) {
      fail(error.what());
    }
  }

 private:
  const FieldJson& json_;
  std::string place_;
};

inline constexpr std::uint64_t kMostUnits = std::numeric_limits<int>::max();
inline constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

/// The whole file. Throws InputError when it cannot be read; `what` it should hold.
[[nodiscard]] std::string text_of(const std::string& path, std::string_view what);

/// Throws InputError with line and column for what is no JSON; `name` is what errors call the text.
[[nodiscard]] FieldJson json_of(std::string_view text, const std::string& name,
                                std::string_view what);

}  // namespace conccl::cli
