// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The conformance program, run, and its transcript, read.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/subprocess.hpp"

namespace conccl::backend::hsa {

using test::Outcome;
using Words = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;

inline constexpr const char* kDouble = CONCCL_FAKE_HSA_PATH;

inline test::Invocation invocation(const std::string& library, Words words,
                                   Variables variables = {}) {
  words.insert(words.end(), {"--library", library});
  return {CONCCL_HSA_CONFORMANCE, std::move(words), std::move(variables)};
}

inline Outcome run(const std::string& library, Words words, Variables variables = {}) {
  return test::run_program(invocation(library, std::move(words), std::move(variables)));
}

/// Against the double, told so.
inline Outcome run_double(const std::string& told, Words words) {
  return run(kDouble, std::move(words), {{"CONCCL_FAKE_HSA", told}});
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// What follows a name at the start of a line; "no such line".
inline std::string line_of(const Outcome& outcome, const std::string& name) {
  for (const auto& line : lines_of(outcome.out)) {
    if (line.rfind(name + " ", 0) == 0)
      return line.substr(line.find_first_not_of(' ', name.size()));
  }
  return "no such line";
}

inline std::vector<std::string> listed_rows() {
  const auto listed = test::run_program({CONCCL_HSA_CONFORMANCE, {"--list"}, {}});
  EXPECT_EQ(listed.exit_code, 0);
  std::vector<std::string> names;
  for (const auto& line : lines_of(listed.out)) names.push_back(line.substr(0, line.find(' ')));
  return names;
}

inline std::string scratch(const std::string& name) {
  return ::testing::TempDir() + fmt::format("conccl-{}-{}", name, ::getpid());
}

}  // namespace conccl::backend::hsa
