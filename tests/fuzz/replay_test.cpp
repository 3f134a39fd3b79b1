// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Every input that is kept, seeds and what once went wrong, through the fuzz targets' own
/// functions: what was found stays fixed, under any compiler and without libFuzzer.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" {
int fuzz_plan_json(const std::uint8_t* data, std::size_t size);
int fuzz_machine_toml(const std::uint8_t* data, std::size_t size);
int fuzz_study_report(const std::uint8_t* data, std::size_t size);
int fuzz_suite_toml(const std::uint8_t* data, std::size_t size);
int fuzz_wire(const std::uint8_t* data, std::size_t size);
}

namespace conccl::fuzz {
namespace {

struct Target {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

std::vector<std::uint8_t> content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class FuzzCorpus : public testing::TestWithParam<Target> {};

TEST_P(FuzzCorpus, Replays) {
  const auto folder =
      std::filesystem::path(CONCCL_SOURCE_DIR) / "tests/fuzz/corpus" / GetParam().name;
  std::size_t inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto content = content_of(entry.path());
    ASSERT_EQ(content.size(), entry.file_size()) << entry.path();
    EXPECT_NO_THROW(GetParam().run(content.data(), content.size())) << entry.path();
    ++inputs;
  }
  EXPECT_GT(inputs, 10U) << folder;
}

/// No input at all is one, too: libFuzzer starts with it.
TEST_P(FuzzCorpus, StartsFromNothing) { EXPECT_NO_THROW(GetParam().run(nullptr, 0)); }

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpus,
                         testing::Values(Target{"plan_json", fuzz_plan_json},
                                         Target{"machine_toml", fuzz_machine_toml},
                                         Target{"study_report", fuzz_study_report},
                                         Target{"suite_toml", fuzz_suite_toml},
                                         Target{"wire", fuzz_wire}),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace conccl::fuzz
