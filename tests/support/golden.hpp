// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Golden files: `EXPECT_GOLDEN("plan/all_gather.txt", text)` compares with tests/golden/. With
/// CONCCL_UPDATE_GOLDEN=1 in the environment it writes the file instead; look at `git diff` then.
/// The test's target must define CONCCL_SOURCE_DIR.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace conccl::test {

inline testing::AssertionResult matches_golden(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(CONCCL_SOURCE_DIR) / "tests" / "golden" / name;
  if (std::getenv("CONCCL_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return testing::AssertionFailure() << "wrote " << path << "; run again without "
                                       << "CONCCL_UPDATE_GOLDEN";
  }
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return testing::AssertionFailure() << path << " is missing; CONCCL_UPDATE_GOLDEN=1 writes it";
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  if (golden == text) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "differs from " << path << " (CONCCL_UPDATE_GOLDEN=1 rewrites it)\n--- found\n"
         << text << "--- expected\n"
         << golden;
}

}  // namespace conccl::test

#define EXPECT_GOLDEN(name, text) EXPECT_TRUE(::conccl::test::matches_golden(name, text))
