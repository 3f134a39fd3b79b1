// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// From hsa_init to hsa_shut_down, and what agents say.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <set>
#include <string>

#include "tests/fakes/hsa/test/opened.hpp"

namespace conccl::test::fake_hsa {
namespace {

class FakeHsaLife : public Opened {
 protected:
  ~FakeHsaLife() override { ::unsetenv("CONCCL_FAKE_HSA"); }

  template <typename Value>
  Value fact(hsa_agent_t agent, hsa_agent_info_t attribute) {
    Value value{};
    EXPECT_EQ(calls.hsa_agent_get_info(agent, attribute, &value), HSA_STATUS_SUCCESS) << attribute;
    return value;
  }
  std::string text(hsa_agent_t agent, hsa_agent_info_t attribute) {
    return fact<std::array<char, 64>>(agent, attribute).data();
  }
};

TEST_F(FakeHsaLife, IsCounted) {
  std::uint64_t value = 0;
  const auto works = [&] { return calls.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &value); };
  EXPECT_EQ(works(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(calls.hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(calls.hsa_init(), HSA_STATUS_SUCCESS);
  EXPECT_EQ(calls.hsa_init(), HSA_STATUS_SUCCESS);
  EXPECT_EQ(calls.hsa_shut_down(), HSA_STATUS_SUCCESS);
  EXPECT_EQ(works(), HSA_STATUS_SUCCESS);
  EXPECT_EQ(calls.hsa_shut_down(), HSA_STATUS_SUCCESS);
  EXPECT_EQ(works(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(calls.hsa_iterate_agents(nullptr, nullptr), HSA_STATUS_ERROR_NOT_INITIALIZED);
}

TEST_F(FakeHsaLife, EveryCallOfTheInterfaceIsThere){
#define CONCCL_EXPECT(name) EXPECT_NE(calls.name, nullptr) << #name;
    CONCCL_HSA_CALLS(CONCCL_EXPECT) CONCCL_HSA_ENGINE_CALLS(CONCCL_EXPECT)
        CONCCL_HSA_KERNEL_CALLS(CONCCL_EXPECT) CONCCL_HSA_OPTIONAL_CALLS(CONCCL_EXPECT)
#undef CONCCL_EXPECT
}

TEST_F(FakeHsaLife, AForkedChildIsRefused) {
  open();
  const pid_t child = ::fork();
  if (child == 0) {
    std::uint64_t value = 0;
    const bool refused =
        calls.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &value) != HSA_STATUS_SUCCESS &&
        calls.hsa_init() != HSA_STATUS_SUCCESS && calls.hsa_shut_down() != HSA_STATUS_SUCCESS;
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(gpus.size(), 8U);
}

TEST_F(FakeHsaLife, TheLayoutIsReadByEachInit) {
  open();
  EXPECT_EQ(gpus.size(), 8U);
  EXPECT_EQ(cpus.size(), 2U);
  control.set("gpus", 3);
  EXPECT_EQ(control.get("gpus"), 8);
  close();
  open();
  EXPECT_EQ(gpus.size(), 3U);
  close();
  control.set("gpus", 0);
  open();
  EXPECT_TRUE(gpus.empty());
  EXPECT_EQ(cpus.size(), 2U);
}

TEST_F(FakeHsaLife, TheVariableSetsAndWhatIsSetWins) {
  ::setenv("CONCCL_FAKE_HSA", "gpus=4  xgmi=6 isa=gfx90a", 1);
  control.set("gpus", 2);
  open();
  EXPECT_EQ(gpus.size(), 2U);
  EXPECT_EQ(control.get("xgmi"), 6);
  EXPECT_EQ(text(gpus[0], HSA_AGENT_INFO_NAME), "gfx90a");
  close();
  ::unsetenv("CONCCL_FAKE_HSA");
  open();
  EXPECT_EQ(control.get("xgmi"), 14);
}

TEST_F(FakeHsaLife, WrongSettingsAreRefused) {
  for (const char* const wrong : {"gpu=4", "gpus", "gpus=", "gpus=4x", "gpus=-1", "overlap=2"}) {
    ::setenv("CONCCL_FAKE_HSA", wrong, 1);
    EXPECT_EQ(calls.hsa_init(), HSA_STATUS_ERROR) << wrong;
  }
  EXPECT_THROW(control.set("gpu", 4), std::invalid_argument);
  EXPECT_THROW(control.set("ring", 0), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(control.get("copied")), std::invalid_argument);
}

TEST_F(FakeHsaLife, InitFailsAsTold) {
  control.set("init_status", "0x1008");
  EXPECT_EQ(calls.hsa_init(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(calls.hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  control.reset();
  open();
}

TEST_F(FakeHsaLife, GpusTellWhatTheyAre) {
  open();
  EXPECT_EQ(text(gpus[0], HSA_AGENT_INFO_NAME), "gfx942");
  EXPECT_EQ(text(gpus[0], HSA_AMD_AGENT_INFO_PRODUCT_NAME), "AMD Instinct MI300X (double)");
  EXPECT_EQ(fact<std::uint32_t>(gpus[0], HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT), 8U);
  EXPECT_EQ(fact<std::uint32_t>(gpus[0], HSA_AMD_AGENT_INFO_NUM_SDMA_ENG), 2U);
  EXPECT_EQ(fact<std::uint32_t>(gpus[0], HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG), 14U);
  std::set<std::string> names;
  std::set<std::uint64_t> addresses;
  for (const auto gpu : gpus) {
    names.insert(text(gpu, HSA_AMD_AGENT_INFO_UUID));
    EXPECT_EQ(text(gpu, HSA_AMD_AGENT_INFO_UUID).size(), 20U);
    addresses.insert(std::uint64_t{fact<std::uint32_t>(gpu, HSA_AMD_AGENT_INFO_DOMAIN)} << 32U |
                     fact<std::uint32_t>(gpu, HSA_AMD_AGENT_INFO_BDFID));
  }
  EXPECT_EQ(names.size(), 8U);
  EXPECT_EQ(addresses.size(), 8U);
  std::uint32_t value = 0;
  EXPECT_EQ(calls.hsa_agent_get_info({3}, HSA_AGENT_INFO_DEVICE, &value),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(calls.hsa_agent_get_info(gpus[0], static_cast<hsa_agent_info_t>(0xA1FF), &value),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(FakeHsaLife, LinksAreOneHop) {
  open();
  const auto peer = pool(gpus[1], HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  const auto host = pool(cpus[0], HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED);
  for (const auto& [to, type] : {std::pair{peer, HSA_AMD_LINK_INFO_TYPE_XGMI},
                                 std::pair{host, HSA_AMD_LINK_INFO_TYPE_PCIE}}) {
    std::uint32_t hops = 0;
    hsa_amd_memory_pool_link_info_t link{};
    EXPECT_EQ(calls.hsa_amd_agent_memory_pool_get_info(
                  gpus[0], to, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &hops),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hops, 1U);
    EXPECT_EQ(calls.hsa_amd_agent_memory_pool_get_info(
                  gpus[0], to, HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, &link),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(link.link_type, type);
    EXPECT_GT(link.max_bandwidth, 0U);
  }
}

TEST_F(FakeHsaLife, TimeRunsAtItsFrequency) {
  open();
  std::uint64_t frequency = 0;
  std::array<std::uint64_t, 2> time{};
  ASSERT_EQ(calls.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(frequency, kTicksPerMillisecond * 1000);
  ASSERT_EQ(calls.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &time[0]), HSA_STATUS_SUCCESS);
  ::usleep(20'000);
  ASSERT_EQ(calls.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &time[1]), HSA_STATUS_SUCCESS);
  EXPECT_GE(time[1] - time[0], 20 * kTicksPerMillisecond);
  EXPECT_LT(time[1] - time[0], 20'000 * kTicksPerMillisecond);
}

}  // namespace
}  // namespace conccl::test::fake_hsa
