// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// The suite that machines' models are made from.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "c3/known_files.hpp"
#include "conccl/c3/suite.hpp"
#include "conccl/c3/taxonomy.hpp"

namespace conccl::c3 {
namespace {

std::set<GemmSpec> gemms_in(const std::string& suite) {
  std::set<GemmSpec> gemms;
  for (const Scenario& scenario : load_suite(suite).scenarios) gemms.insert(scenario.gemm);
  return gemms;
}

TEST(ProfileSuite, IsFrozen) {
  // Profiles stay comparable only while it is this one.
  EXPECT_EQ(load_suite("profile").hash, "d985e8bc9e1dfee0");
}

TEST(ProfileSuite, HasNoProductOfAnotherSuite) {
  const auto fitted_to = gemms_in("profile");
  EXPECT_EQ(fitted_to.size(), 13u);
  std::set<std::string_view> others;
  for (const KnownFile& other : known_suites()) {
    if (other.name == "profile") continue;
    others.insert(other.name);
    for (const GemmSpec& gemm : gemms_in(std::string(other.name))) {
      EXPECT_FALSE(fitted_to.contains(gemm)) << other.name << ": " << to_string(gemm);
    }
  }
  EXPECT_EQ(others, (std::set<std::string_view>{"llama", "small"}));
}

TEST(ProfileSuite, HasBothKindsOfProductAndBothCollectivesOfEach) {
  const Machine machine = load_known_machine("h200x8");
  std::set<std::pair<GemmBound, plan::Collective>> found;
  for (const Scenario& scenario : load_suite("profile").scenarios) {
    found.emplace(bound_of(machine, scenario.gemm), scenario.collective);
  }
  EXPECT_EQ(found.size(), 4u);
}

}  // namespace
}  // namespace conccl::c3
