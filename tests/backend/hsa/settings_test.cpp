// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conccl/core/errors.hpp"
#include "tests/support/environment.hpp"

namespace conccl::backend::hsa {
namespace {

using test::Environment;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string refusal_of(const char* name, const std::string& value) {
  Environment environment;
  environment.set(name, value);
  try {
    (void)settings_from_environment();
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

TEST(HsaSettings, HaveDefaults) {
  Environment environment;
  environment.set("CONCCL_HSA_ENGINES", "");
  environment.set("CONCCL_HSA_DEADLINE", "");
  const Settings settings = settings_from_environment();
  EXPECT_THAT(settings.engines, IsEmpty());
  EXPECT_EQ(settings.deadline, std::chrono::seconds(30));
}

TEST(HsaSettings, AreRead) {
  Environment environment;
  environment.set("CONCCL_HSA_ENGINES", "2,14,4");
  environment.set("CONCCL_HSA_DEADLINE", "0.25");
  const Settings settings = settings_from_environment();
  EXPECT_THAT(settings.engines, ElementsAre(2, 14, 4));
  EXPECT_EQ(settings.deadline, std::chrono::milliseconds(250));
}

TEST(HsaSettings, OfBadEnginesAreRefusedByName) {
  for (const auto* value : {"x", "2,", ",2", "2,,4", "16", "-1", "2,2", "2 4", "99999999999"}) {
    EXPECT_THAT(refusal_of("CONCCL_HSA_ENGINES", value),
                AllOf(HasSubstr("CONCCL_HSA_ENGINES"), HasSubstr(value), HasSubstr("0 to 15")));
  }
}

TEST(HsaSettings, OfBadDeadlinesAreRefusedByName) {
  for (const auto* value : {"x", "0", "-1", "1s", "nan", "inf", "1e9"}) {
    EXPECT_THAT(refusal_of("CONCCL_HSA_DEADLINE", value),
                AllOf(HasSubstr("CONCCL_HSA_DEADLINE"), HasSubstr(value), HasSubstr("seconds")));
  }
}

TEST(HsaSettings, OfBatchesAreYesOrNo) {
  EXPECT_THAT(refusal_of("CONCCL_HSA_BATCH", "yes"),
              AllOf(HasSubstr("CONCCL_HSA_BATCH"), HasSubstr("yes"), HasSubstr("0 or 1")));
  Environment environment;
  environment.set("CONCCL_HSA_BATCH", "1");
  EXPECT_TRUE(settings_from_environment().batch);
  environment.set("CONCCL_HSA_BATCH", "0");
  EXPECT_FALSE(settings_from_environment().batch);
}

TEST(HsaSettings, OfTheRuntimeThatLeaveTheEnginesAloneAreReported) {
  Environment environment;
  environment.set("HSA_ENABLE_SDMA", "0");
  environment.set("HSA_ENABLE_PEER_SDMA", "0");
  environment.set("HSA_ENABLE_SDMA_GANG", "1");
  EXPECT_THAT(why_not_sdma(),
              ElementsAre(HasSubstr("HSA_ENABLE_SDMA=0"), HasSubstr("HSA_ENABLE_PEER_SDMA=0")));
  EXPECT_THAT(runtime_variables(), SizeIs(3));
}

TEST(HsaSettings, OfTheRuntimeThatAreOnAreNoReason) {
  Environment environment;
  environment.set("HSA_ENABLE_SDMA", "1");
  EXPECT_THAT(why_not_sdma(), IsEmpty());
}

}  // namespace
}  // namespace conccl::backend::hsa
