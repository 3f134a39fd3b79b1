// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "core/toml_nesting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "conccl/core/machine.hpp"
#include "tests/core/support.hpp"

namespace conccl {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

constexpr int kDeep = kMaxTomlNesting;

TEST(TomlNesting, AllowsWhatTheProjectsFilesNeed) {
  EXPECT_FALSE(excessive_toml_nesting(""));
  EXPECT_FALSE(excessive_toml_nesting("[baseline.all_gather.latency]\nvalue = 1.5\n[[a.b]]\n"));
  EXPECT_FALSE(excessive_toml_nesting(repeated("a.", kDeep - 1) + "a = 1"));
  EXPECT_FALSE(excessive_toml_nesting("a = " + repeated("[", kDeep) + repeated("]", kDeep)));
}

TEST(TomlNesting, FindsTheFirstPartTooMany) {
  const std::string key = repeated("a.", kDeep) + "a = 1";
  EXPECT_EQ(excessive_toml_nesting(key), 2 * kDeep - 1);
  EXPECT_EQ(excessive_toml_nesting("[" + key), 2 * kDeep);
  EXPECT_EQ(excessive_toml_nesting("b = { " + key), 2 * kDeep + 5);
  EXPECT_EQ(excessive_toml_nesting("b = [1,\n { " + key), 2 * kDeep + 10);
  EXPECT_TRUE(excessive_toml_nesting(repeated("\"x\" . ", kDeep) + "a = 1"));
  EXPECT_TRUE(excessive_toml_nesting(repeated("'.\"' .", kDeep) + "a = 1"));
}

TEST(TomlNesting, FindsTheFirstBracketTooMany) {
  EXPECT_EQ(excessive_toml_nesting(repeated("[", kDeep + 1)), kDeep);
  EXPECT_TRUE(excessive_toml_nesting("a = " + repeated("{ a = [ ", kDeep)));
  EXPECT_FALSE(excessive_toml_nesting(repeated("[a]\n", 10 * kDeep)));
}

TEST(TomlNesting, LooksIntoNoStringAndNoComment) {
  const std::string dots = repeated("a.", 2 * kDeep) + repeated("[", 2 * kDeep);
  for (const std::string quote : {"\"", "'", "\"\"\"", "'''"}) {
    EXPECT_FALSE(excessive_toml_nesting("a = " + quote + dots + quote + "\n")) << quote;
  }
  EXPECT_FALSE(excessive_toml_nesting("a = 1 # don't " + dots + "\nb = 2"));
  EXPECT_FALSE(excessive_toml_nesting("a = \"\\\"" + dots + "\"\n"));
  EXPECT_FALSE(excessive_toml_nesting("a = \"\"\"\\\"\"\"" + dots + "\"\"\"\n"));
}

TEST(TomlNesting, LooksBehindStrings) {
  const std::string dots = repeated("a.", 2 * kDeep);
  for (const std::string text :
       {"\"\"", "''", "\"\\\\\"", "'\\'", "\"\"\"a\"\"\"", "\"\"\"a\"\"\"\"", "\"\"\"a\"\"\"\"\"",
        "'''a\n'\n''b'''''", "\"a", "'a"}) {
    EXPECT_TRUE(excessive_toml_nesting("a = " + text + "\n" + dots)) << text;
  }
}

TEST(TomlNesting, EndsWithTextThatEndsInAString) {
  for (const char* const text : {"\"", "\"\\", "'", "\"\"\"", "\"\"\"\\", "'''", "'''a''", "#"}) {
    EXPECT_FALSE(excessive_toml_nesting(text)) << text;
  }
}

/// Such a file once ended the process: the TOML library takes tables down by recursion.
TEST(TomlNesting, IsRefusedByReadersWithItsPlace) {
  const std::string file = "name = \"a\"\n" + repeated("a.", 200'000) + "a = 1\n";
  EXPECT_EQ(input_error([&] { (void)parse_machine(file, "box.toml"); }),
            "box.toml:2:32: nested deeper than 16 levels");
}

}  // namespace
}  // namespace conccl
