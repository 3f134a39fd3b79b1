// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Which way a collective goes, and that nothing is silently run elsewhere.

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"
#include "tests/comm/support.hpp"

namespace conccl::test {
namespace {

using comm::Policy;
using plan::Collective;

/// The host backend as a machine without DMA engines would describe itself.
class WithoutEngines final : public backend::Backend {
 public:
  explicit WithoutEngines(backend::Backend& host)
      : host_(host), capabilities_(host.capabilities()) {
    capabilities_.dma_engines = 0;
  }
  [[nodiscard]] const backend::Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] const Machine& machine() const override { return host_.machine(); }
  [[nodiscard]] std::unique_ptr<backend::Device> open_device(int index) override {
    return host_.open_device(index);
  }

 private:
  backend::Backend& host_;
  backend::Capabilities capabilities_;
};

class PolicyTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<comm::Communicator> communicators(Policy policy) {
    comm::Options options = World::patient();
    options.policy = policy;
    return comm::Communicator::init_all(without_, world_.devices, options);
  }

  World world_{2};
  WithoutEngines without_{*world_.backend};
};

TEST_F(PolicyTest, DmaWithoutEnginesIsUnavailable) {
  auto comms = communicators(Policy::dma);
  Exchange exchange(world_, comms, {Collective::all_gather, 100}, 1);
  try {
    exchange.call(0);
    FAIL() << "expected Unavailable";
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("policy dma: the device of rank 0 has no DMA"));
  }
  EXPECT_EQ(comms[0].async_error(), std::nullopt);
  EXPECT_EQ(comms[0].statistics().dma, 0U);
}

TEST_F(PolicyTest, AutomaticFallsBackAndSaysSoOnce) {
  std::vector<std::string> lines;
  set_log_sink([&lines](LogLevel, std::string_view line) { lines.emplace_back(line); });
  auto comms = communicators(Policy::automatic);
  Exchange exchange(world_, comms, {Collective::all_to_all, 100'000}, 1);
  exchange.call_all();
  exchange.call_all();
  world_.synchronize();
  set_log_sink({});
  EXPECT_TRUE(exchange.right());
  EXPECT_EQ(comms[0].statistics().compute, 2U);
  EXPECT_EQ(comms[0].statistics().dma, 0U);
  EXPECT_THAT(lines, testing::ElementsAre(testing::HasSubstr("rank 0: no DMA engines"),
                                          testing::HasSubstr("rank 1: no DMA engines")));
}

/// The units that ran chunks of one all-gather under `policy`.
std::vector<std::string> units_of(World& world, Policy policy) {
  comm::Options options = World::patient();
  options.policy = policy;
  auto comms = world.more_communicators(options);
  Exchange exchange(world, comms, {Collective::all_gather, kMiB}, 9);
  world.device(0).start_timeline();
  exchange.call_all();
  world.synchronize();
  comms.clear();  // its queues are idle then
  std::vector<std::string> units;
  for (const auto& span : world.device(0).take_timeline().spans) units.push_back(span.unit);
  EXPECT_TRUE(exchange.right());
  return units;
}

TEST_F(PolicyTest, DmaRunsOnEnginesOnly) {
  const auto units = units_of(world_, Policy::dma);
  EXPECT_THAT(units, testing::AllOf(testing::Not(testing::IsEmpty()),
                                    testing::Each(testing::StartsWith("dma"))));
}

TEST_F(PolicyTest, AutomaticPrefersEngines) {
  EXPECT_THAT(units_of(world_, Policy::automatic), testing::Each(testing::StartsWith("dma")));
}

TEST_F(PolicyTest, ComputeRunsOnComputeUnitsOnly) {
  const auto units = units_of(world_, Policy::compute);
  EXPECT_THAT(units, testing::AllOf(testing::Not(testing::IsEmpty()),
                                    testing::Each(testing::StartsWith("compute"))));
}

}  // namespace
}  // namespace conccl::test
