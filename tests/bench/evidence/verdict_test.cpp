// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What records prove, what they disprove, and what they leave open.

#include "bench/evidence/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace conccl::bench {
namespace {

constexpr ExpectedBytes kInPlace{1000, 0};
constexpr ExpectedBytes kOutOfPlace{1000, 1000};

Evidence copies(std::vector<CopyRecord> records) {
  return {"tracer", std::move(records), {{"gemm", 0, {}, {}}}};
}

CopyRecord copy(CopyKind kind, Bytes bytes, ChannelType type, std::uint32_t channel = 1) {
  CopyRecord record;
  record.kind = kind;
  record.bytes = bytes;
  record.channel = channel;
  record.type = type;
  return record;
}

RowEvidence verdict_on(std::vector<CopyRecord> records, const ExpectedBytes& expected) {
  return verdict(copies(std::move(records)), expected, {"gemm"});
}

constexpr auto kEngine = ChannelType::copy_engine;
constexpr auto kCompute = ChannelType::compute;

TEST(Verdict, EveryPeerByteOnCopyEnginesIsYes) {
  const auto row = verdict_on(
      {copy(CopyKind::peer, 600, kEngine, 1), copy(CopyKind::peer, 400, kEngine, 2)}, kInPlace);
  EXPECT_EQ(row.carrier, Carrier::copy_engines);
  EXPECT_EQ(row.text,
            "on copy engines: yes, 1000 bytes of 1000 expected by 2 asynchronous copy channels, no "
            "kernel beside the GEMM");
  EXPECT_EQ(row.tracer, "tracer");
  EXPECT_TRUE(row.kernels.empty());
}

TEST(Verdict, OwnBlocksMayGoElsewhereAndThatIsSaid) {
  const auto row = verdict_on(
      {copy(CopyKind::peer, 1000, kEngine), copy(CopyKind::local, 1000, kCompute)}, kOutOfPlace);
  EXPECT_EQ(row.carrier, Carrier::copy_engines);
  EXPECT_THAT(row.text, testing::HasSubstr("1000 bytes within devices by other channels"));
}

TEST(Verdict, AKernelThatIsNotTheGemmsIsNo) {
  auto evidence = copies({copy(CopyKind::peer, 1000, kEngine)});
  evidence.kernels.push_back({"_ZN4nccl6gatherIiEEvPT_", 0, {}, {}});
  const auto row = verdict(evidence, kInPlace, {"gemm"});
  EXPECT_EQ(row.carrier, Carrier::others);
  EXPECT_EQ(row.text,
            "on copy engines: no: kernels nccl::gather ran, 1000 bytes of 1000 expected by 1 "
            "asynchronous copy channel");
  EXPECT_THAT(row.kernels, testing::ElementsAre("_ZN4nccl6gatherIiEEvPT_"));
}

TEST(Verdict, BytesBetweenDevicesByAnotherChannelAreNo) {
  const auto row =
      verdict_on({copy(CopyKind::peer, 999, kEngine), copy(CopyKind::peer, 1, kCompute)}, kInPlace);
  EXPECT_EQ(row.carrier, Carrier::others);
  EXPECT_THAT(row.text, testing::HasSubstr("no: 1 bytes between devices by other channels"));
}

TEST(Verdict, AMissingByteIsNoEvidence) {
  const auto row = verdict_on({copy(CopyKind::peer, 999, kEngine)}, kInPlace);
  EXPECT_EQ(row.carrier, Carrier::unknown);
  EXPECT_THAT(row.text, testing::StartsWith("no evidence: 999 bytes of 1000 expected"));
}

TEST(Verdict, CopiesWithNoSecondDeviceCountOnlyWhereAllAreOnCopyEngines) {
  EXPECT_EQ(verdict_on({copy(CopyKind::local, 1000, kEngine)}, kInPlace).carrier,
            Carrier::copy_engines);
  // The own blocks alone are as many bytes as those that should have crossed.
  EXPECT_EQ(verdict_on({copy(CopyKind::local, 1000, kEngine)}, kOutOfPlace).carrier,
            Carrier::unknown);
  EXPECT_EQ(verdict_on({copy(CopyKind::local, 2000, kEngine)}, kOutOfPlace).carrier,
            Carrier::copy_engines);
  EXPECT_EQ(verdict_on({copy(CopyKind::local, 2000, kEngine), copy(CopyKind::local, 1, kCompute)},
                       kOutOfPlace)
                .carrier,
            Carrier::unknown);
}

TEST(Verdict, CopiesToTheHostProveNothing) {
  const auto row = verdict_on({copy(CopyKind::host, 1000, kEngine)}, kInPlace);
  EXPECT_EQ(row.carrier, Carrier::unknown);
  EXPECT_EQ(row.traffic.host, 1000U);
  EXPECT_EQ(row.traffic.copy_channels, 0);
}

TEST(Verdict, OfManyKernelsSomeAreNamed) {
  Evidence evidence = copies({});
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    evidence.kernels.push_back({name, 0, {}, {}});
  }
  EXPECT_THAT(verdict(evidence, kInPlace, {"gemm"}).text,
              testing::HasSubstr("kernels a, b, c, d and 2 more ran"));
}

TEST(Verdict, ExpectedBytesFollowFromTheRequest) {
  const auto in_place =
      expected_bytes({plan::Collective::all_gather, 4, 10, plan::Placement::in_place});
  EXPECT_EQ(in_place.peer, 120U);
  EXPECT_EQ(in_place.own, 0U);
  const auto out_of_place =
      expected_bytes({plan::Collective::all_to_all, 4, 10, plan::Placement::out_of_place});
  EXPECT_EQ(out_of_place.peer, 120U);
  EXPECT_EQ(out_of_place.own, 40U);
}

TEST(Verdict, LongKernelNamesAreCut) {
  EXPECT_EQ(short_kernel_name("gemm_128x64"), "gemm_128x64");
  EXPECT_EQ(short_kernel_name(std::string(100, 'k')).size(), 60U);
}

TEST(RowEvidence, JsonHasEveryField) {
  auto row =
      verdict_on({copy(CopyKind::peer, 1000, kEngine), copy(CopyKind::host, 7, kEngine)}, kInPlace);
  row.kernels = {"\xff odd"};
  const auto json = nlohmann::json::parse(to_json(row));
  EXPECT_EQ(json.at("carrier"), "copy_engines");
  EXPECT_EQ(json.at("text"), row.text);
  EXPECT_EQ(json.at("tracer"), "tracer");
  EXPECT_EQ(json.at("expected_bytes"), 1000);
  EXPECT_EQ(json.at("traffic").at("peer_by_copy_engine"), 1000);
  EXPECT_EQ(json.at("traffic").at("host"), 7);
  EXPECT_EQ(json.at("traffic").at("copy_channels"), 1);
  EXPECT_EQ(json.at("kernels").size(), 1U);
}

}  // namespace
}  // namespace conccl::bench
