// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/ordinals.hpp"

#include <gmock/gmock.h>

namespace conccl::backend::hsa::hip {
namespace {

using testing::ElementsAre;

constexpr PciAddress kFirst{0, 0x1000};
constexpr PciAddress kSecond{0, 0x1100};
constexpr PciAddress kThird{1, 0x1000};

TEST(HipOrdinals, AnAddressIsReadAsHipWritesIt) {
  EXPECT_EQ(parse_pci("0000:c1:00.0"), (PciAddress{0, 0xC100}));
  EXPECT_EQ(parse_pci("0001:05:1f.7"), (PciAddress{1, 0x05FF}));
  EXPECT_EQ(parse_pci("10000:ff:00.1"), (PciAddress{0x10000, 0xFF01}));
}

TEST(HipOrdinals, AnythingElseIsNoAddress) {
  for (const char* text :
       {"", "0000", "0000:c1:00", "0000:c1:00.", "0000:c1:00.0 ", "0000:c1:00.8", "0000:c1:20.0",
        "0000:100:00.0", "c1:00.0", "0000:c1:00:0", "x", ":::."}) {
    EXPECT_FALSE(parse_pci(text)) << text;
  }
}

TEST(HipOrdinals, DevicesInAnotherOrderAreFoundByTheirAddress) {
  const std::vector<PciAddress> gpus{kFirst, kSecond, kThird};
  EXPECT_THAT(ordinals_of(gpus, std::vector{kThird, kFirst, kSecond}), ElementsAre(1, 2, 0));
}

TEST(HipOrdinals, AHiddenGpuHasNone) {
  const std::vector<PciAddress> gpus{kFirst, kSecond, kThird};
  EXPECT_THAT(ordinals_of(gpus, std::vector{kThird}), ElementsAre(std::nullopt, std::nullopt, 0));
  EXPECT_THAT(ordinals_of(gpus, {}), ElementsAre(std::nullopt, std::nullopt, std::nullopt));
}

TEST(HipOrdinals, TwoAtOneAddressCannotBeToldApart) {
  EXPECT_THAT(
      ordinals_of(std::vector{kFirst, kFirst, kSecond}, std::vector{kSecond, kFirst, kFirst}),
      ElementsAre(std::nullopt, std::nullopt, 0));
  EXPECT_THAT(ordinals_of(std::vector{kFirst}, std::vector{kFirst, kFirst}),
              ElementsAre(std::nullopt));
}

}  // namespace
}  // namespace conccl::backend::hsa::hip
