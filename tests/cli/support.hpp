// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the tests of the tool share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "conccl/cli/tool.hpp"
#include "tests/cli/subprocess.hpp"

namespace conccl::test {

/// A machine file without a `model` section.
inline constexpr const char* kWithoutModel = CONCCL_SOURCE_DIR "/tests/cli/without_model.toml";

[[nodiscard]] inline Outcome conccl(std::vector<std::string> arguments) {
  return run_program({CONCCL_PROGRAM, std::move(arguments), {}});
}

[[nodiscard]] inline cli::ExitCode code_of(const Outcome& outcome) {
  return static_cast<cli::ExitCode>(outcome.exit_code);
}

/// A failure is one line on standard error.
inline void expect_error(const Outcome& outcome, cli::ExitCode code, const std::string& part) {
  EXPECT_EQ(code_of(outcome), code) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.err, testing::StartsWith("conccl: error: "));
  EXPECT_THAT(outcome.err, testing::HasSubstr(part));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

/// A directory that is gone after the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory()
      : path_(std::filesystem::temp_directory_path() /
              ("conccl_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::string file_with(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return file(name);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream stream(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace conccl::test
