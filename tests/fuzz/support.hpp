// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the fuzz targets share. A target throws when something is wrong, and nothing catches that:
/// under libFuzzer the process ends, in the replay the test fails with the message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "conccl/core/errors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace conccl::fuzz {

/// The input in place, not a copy: a read beyond its end is then one beyond its allocation.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline bool is_one_line(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return !text.empty();
}

/// What `parse` makes of an input, or nothing when it refuses it: with an InputError of one line
/// that starts with `name` (what errors call the input).
template <typename Parse>
auto accepted(std::string_view name, Parse parse) -> std::optional<decltype(parse())> {
  try {
    return parse();
  } catch (const InputError& error) {
    ensure(is_one_line(error.what()), "a refusal is one line");
    ensure(std::string_view(error.what()).starts_with(name), "a refusal names the input");
    return std::nullopt;
  }
}

}  // namespace conccl::fuzz
