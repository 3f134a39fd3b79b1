// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The machine files that ship.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "conccl/core/machine.hpp"

namespace conccl {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(CONCCL_SOURCE_DIR) / "machines";

Machine shipped(const std::string& name) {
  return load_machine((kFolder / (name + ".toml")).string());
}

std::vector<std::string> machine_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path().stem().string());
  }
  return files;
}

class MachineFile : public testing::TestWithParam<std::string> {};

TEST_P(MachineFile, HasAllThatAPredictionNeeds) {
  const Machine machine = shipped(GetParam());
  EXPECT_GT(machine.devices, 1);
  EXPECT_GT(machine.device.compute_units, 0);
  EXPECT_GT(machine.device.dma_engines, 0);
  EXPECT_GT(machine.device.memory_gbps, 0);
  EXPECT_GT(machine.device.last_level_cache, 0U);
  EXPECT_GT(machine.device.memory, machine.device.last_level_cache);
  EXPECT_GT(machine.device.gemm_efficiency, 0);
  EXPECT_GT(machine.device.peak_tflops.at("bf16"), 0);
  EXPECT_GT(machine.link.peer_gbps, 0);
  EXPECT_GE(machine.link.device_gbps, machine.link.peer_gbps);
  for (const char* const collective : {"all_gather", "all_to_all"}) {
    const LinearCost& cost = machine.baseline.at(collective).cost;
    EXPECT_GT(cost.at(0), Nanoseconds(0)) << collective;
    EXPECT_GT(cost.at(kGiB), cost.at(kMiB)) << collective;
  }
}

/// A device cannot send its share of a collective faster than its links carry it.
TEST_P(MachineFile, HasABaselineThatItsLinksAllow) {
  const Machine machine = shipped(GetParam());
  const double sent = static_cast<double>(machine.devices - 1) / machine.devices;
  for (const auto& [name, facts] : machine.baseline) {
    EXPECT_LE(sent / facts.cost.ns_per_byte, machine.link.device_gbps) << name;
  }
}

TEST_P(MachineFile, SurvivesARoundTrip) {
  const std::string once = to_toml(shipped(GetParam()));
  EXPECT_EQ(to_toml(parse_machine(once, "round trip")), once);
}

INSTANTIATE_TEST_SUITE_P(All, MachineFile, testing::ValuesIn(machine_files()));

TEST(Mi300x, HasThePublishedFigures) {
  const Machine machine = shipped("mi300x");
  EXPECT_EQ(machine.backend, "hsa");
  EXPECT_EQ(machine.devices, 8);
  EXPECT_EQ(machine.device.compute_units, 304);
  EXPECT_EQ(machine.device.dma_engines, 14);
  EXPECT_EQ(machine.device.memory_gbps, 5300);
  EXPECT_EQ(machine.device.memory, 192 * kGiB);
  EXPECT_EQ(machine.device.last_level_cache, 256 * kMiB);
  EXPECT_EQ(machine.device.peak_tflops.at("bf16"), 1307.4);
  EXPECT_EQ(machine.link.topology, "full-mesh");
  EXPECT_EQ(machine.link.peer_gbps * (machine.devices - 1), machine.link.device_gbps);
}

TEST(Mi300x, HasAModelWithThreeFittedFigures) {
  const Machine machine = shipped("mi300x");
  EXPECT_EQ(machine.model.slowdown.size(), 4U);
  EXPECT_LE(machine.model.slowdown.at("compute_bound").back().units, machine.device.compute_units);
  int fitted = 0;
  for (const auto& [field, source] : machine.sources) {
    if (field.rfind("model.", 0) == 0 && source.rfind("fitted", 0) == 0) ++fitted;
  }
  EXPECT_EQ(fitted, 3);
}

}  // namespace
}  // namespace conccl
