// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// The options structure: versions, sizes, and what each field refuses.

#include <cstring>

#include "tests/capi/support.hpp"

namespace conccl::test {
namespace {

concclResult_t init_one(const concclConfig_t* config) {
  concclComm_t comm = nullptr;
  const auto result = concclCommInitAllConfig(&comm, 1, nullptr, config);
  EXPECT_EQ(comm != nullptr, result == concclSuccess);
  if (comm != nullptr) {
    EXPECT_OK(concclCommDestroy(comm));
  }
  return result;
}

concclConfig_t initialised() {
  concclConfig_t config = CONCCL_CONFIG_INITIALIZER;
  return config;
}

/// A structure of a later version: two more fields behind ours.
struct Later {
  concclConfig_t known = CONCCL_CONFIG_INITIALIZER;
  int added = CONCCL_CONFIG_UNDEF_INT;
  int padding = 0;
  const char* added_text = nullptr;
};

TEST(CConfig, NoneIsAllDefaults) { EXPECT_OK(init_one(nullptr)); }

TEST(CConfig, TheInitialiserIsAllDefaults) {
  const auto config = initialised();
  EXPECT_OK(init_one(&config));
}

TEST(CConfig, UninitialisedIsRefused) {
  concclConfig_t config;
  std::memset(&config, 0, sizeof config);
  expect_refused(init_one(&config), concclInvalidArgument, "CONCCL_CONFIG_INITIALIZER");
  config = initialised();
  config.version = 7;
  expect_refused(init_one(&config), concclInvalidArgument, "version 7");
}

TEST(CConfig, ShorterStructureOfAnOlderHeader) {
  auto config = initialised();
  config.size = offsetof(concclConfig_t, device);
  config.policy = 99;  // lies behind what the structure says it has
  EXPECT_OK(init_one(&config));
}

TEST(CConfig, SizesThatNoVersionHas) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, sizeof(concclConfig_t) - 1,
                                 std::size_t{1} << 40U, SIZE_MAX}) {
    auto config = initialised();
    config.size = size;
    expect_refused(init_one(&config), concclInvalidArgument, "config: size");
  }
}

TEST(CConfig, LaterStructureWithItsOptionsUndefined) {
  Later later;
  later.known.size = sizeof later;
  later.known.version = CONCCL_VERSION(9, 0, 0);
  EXPECT_OK(init_one(&later.known));
}

TEST(CConfig, LaterStructureThatSetsAnOption) {
  Later later;
  later.known.size = sizeof later;
  later.added = 1;
  expect_refused(init_one(&later.known), concclInvalidArgument, "sets an option at byte 64");
  later.added = CONCCL_CONFIG_UNDEF_INT;
  later.added_text = "text";
  expect_refused(init_one(&later.known), concclInvalidArgument, "sets an option at byte 72");
}

TEST(CConfig, EveryFieldIsChecked) {
  auto config = initialised();
  config.policy = 3;
  expect_refused(init_one(&config), concclInvalidArgument, "policy 3");
  config = initialised();
  config.direction = -1;
  expect_refused(init_one(&config), concclInvalidArgument, "direction -1");
  config = initialised();
  config.deadline_ms = 0;
  expect_refused(init_one(&config), concclInvalidArgument, "deadline_ms 0");
  config = initialised();
  config.device = -1;
  expect_refused(init_one(&config), concclInvalidArgument, "device -1");
  config = initialised();
  config.backend = "abacus";
  expect_refused(init_one(&config), concclInvalidArgument, "unknown backend \"abacus\"");
}

TEST(CConfig, EveryFieldIsTaken) {
  auto config = initialised();
  config.name = "tensor parallel";
  config.backend = "host";
  config.policy = concclPolicyCompute;
  config.direction = concclDirectionPull;
  config.deadline_ms = 100;
  config.machine = "";
  Ranks ranks(2, &config);
  Gather gather(2, 10);
  expect_refused(gather.call(ranks, 0), concclRemoteError, "within 100 ms");
  EXPECT_THAT(last_error(ranks.comms[0]), testing::HasSubstr("rank 1"));
}

TEST(CConfig, DeviceOfARank) {
  auto config = initialised();
  config.device = 3;
  concclUniqueId id;
  ASSERT_OK(concclGetUniqueId(&id));
  concclComm_t comm = nullptr;
  ASSERT_OK(concclCommInitRankConfig(&comm, 1, id, 0, &config));
  int device = -1;
  EXPECT_OK(concclCommDevice(comm, &device));
  EXPECT_EQ(device, 3);
  EXPECT_OK(concclCommDestroy(comm));
  concclComm_t comms[2];
  expect_refused(concclCommInitAllConfig(comms, 2, nullptr, &config), concclInvalidArgument,
                 "device is set");
}

TEST(CConfig, MeetingPointOnAnUnknownInterface) {
  auto config = initialised();
  config.interface_name = "no_such_nic";
  concclUniqueId id;
  expect_refused(concclGetUniqueIdConfig(&id, &config), concclInvalidArgument, "no_such_nic");
}

}  // namespace
}  // namespace conccl::test
