// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/engines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// GPU 0 of `gpus`, about which nobody recommends anything.
EngineQuestion question(std::size_t gpus, int host, int peer) {
  return {0, host, peer, std::vector<std::uint32_t>(gpus), std::vector<std::uint32_t>(gpus), {}};
}

std::set<int> peers_of(const EngineTable& table) {
  return {table.to_gpu.begin() + 1, table.to_gpu.end()};
}

TEST(Engines, WhatTheRuntimePrefersGoesFirst) {
  auto asked = question(4, 2, 14);
  asked.preferred = {0, 1U << 14, 1U << 4, 1U << 2};
  asked.recommended = {0, 1U << 6, 1U << 8, 1U << 10};
  const auto table = choose_engines(asked);
  EXPECT_THAT(peers_of(table), ElementsAre(2, 4, 14));
  EXPECT_EQ(table.to_gpu[1], 14);
  EXPECT_EQ(table.sources[1], EngineSource::preferred);
  EXPECT_EQ(table.for_peers, 14);
}

TEST(Engines, WithoutAPreferenceTheTopologySays) {
  auto asked = question(3, 2, 14);
  asked.preferred = {0, 0, 1U << 12};
  asked.recommended = {0, 1U << 6, 1U << 8};
  const auto table = choose_engines(asked);
  EXPECT_EQ(table.to_gpu[1], 6);
  EXPECT_EQ(table.sources[1], EngineSource::topology);
  EXPECT_EQ(table.to_gpu[2], 12);
}

TEST(Engines, WithoutEitherPeersAreSpreadOverEvenIds) {
  const auto table = choose_engines(question(8, 2, 14));
  EXPECT_THAT(peers_of(table), ElementsAre(2, 4, 6, 8, 10, 12, 14));
  EXPECT_THAT(table.sources, Each(EngineSource::spread));
}

TEST(Engines, AMaskOfManyIsSpreadToo) {
  auto asked = question(4, 2, 14);
  asked.preferred.assign(4, 0xFFFC);
  EXPECT_THAT(peers_of(choose_engines(asked)), ElementsAre(2, 4, 6));
}

TEST(Engines, FewerEnginesThanPeersAreSharedEvenly) {
  const auto table = choose_engines(question(8, 2, 2));
  EXPECT_EQ(std::count(table.to_gpu.begin() + 1, table.to_gpu.end(), 2), 4);
  EXPECT_EQ(std::count(table.to_gpu.begin() + 1, table.to_gpu.end(), 3), 3);
  EXPECT_EQ(table.for_peers, 2);
}

TEST(Engines, APeerNeverGetsAnEngineForTheHost) {
  auto asked = question(3, 2, 14);
  asked.preferred = {0, 1U << 0, 3};
  asked.recommended = {0, 1U << 1, 3};
  for (const int engine : peers_of(choose_engines(asked))) EXPECT_GE(engine, 2);
}

TEST(Engines, ButOnAPartWithSixIfThatOneAloneIsPreferred) {
  auto asked = question(3, 2, 6);
  asked.preferred = {0, 1U << 1, 3};
  const auto table = choose_engines(asked);
  EXPECT_EQ(table.to_gpu[1], 1);
  EXPECT_GE(table.to_gpu[2], 2);
}

TEST(Engines, TheUsersListIsKeptTo) {
  auto asked = question(8, 2, 14);
  asked.preferred.assign(8, 1U << 3);
  asked.allowed = {0, 4, 6};
  const auto table = choose_engines(asked);
  EXPECT_THAT(peers_of(table), ElementsAre(4, 6));
  EXPECT_EQ(table.to_host, 0);
  EXPECT_EQ(table.from_host, 0);
}

TEST(Engines, AListThatLeavesNoneIsRefused) {
  auto asked = question(8, 2, 14);
  asked.allowed = {0, 1};
  try {
    (void)choose_engines(asked);
    FAIL() << "chosen";
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), HasSubstr("CONCCL_HSA_ENGINES"));
  }
}

TEST(Engines, WhereAllServeTheHostPeersUseThose) {
  EXPECT_THAT(peers_of(choose_engines(question(3, 2, 0))), ElementsAre(0, 1));
}

TEST(Engines, TheHostIsServedByItsOwn) {
  const auto table = choose_engines(question(8, 2, 14));
  EXPECT_EQ(table.from_host, 0) << "the only one that some parts take from the host";
  EXPECT_EQ(table.to_host, 1);
  EXPECT_EQ(table.to_gpu[0], 0) << "within the GPU";
}

TEST(Engines, TheDriversTopologyIsRead) {
  const auto root = std::filesystem::temp_directory_path() / "conccl-topology-test";
  const auto link = [&](const char* name, const char* text) {
    const auto folder = root / "nodes" / "2" / "io_links" / name;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "properties") << text;
  };
  link("0", "type 2\nnode_from 2\nnode_to 0\nweight 20\n");
  link("1", "type 11\nnode_from 2\nnode_to 3\nrecommended_sdma_engine_id_mask 16384\n");
  EXPECT_EQ(recommended_engines(root, 2, 3), 1U << 14);
  EXPECT_EQ(recommended_engines(root, 2, 0), 0U) << "not said";
  EXPECT_EQ(recommended_engines(root, 2, 9), 0U) << "no such link";
  EXPECT_EQ(recommended_engines(root, 7, 3), 0U) << "no such node";
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace conccl::backend::hsa
