// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/advisor/carrier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conccl/c3/advisor/advise.hpp"
#include "tests/c3/model/support.hpp"
#include "tests/support/machine_file.hpp"

namespace conccl::c3 {
namespace {

using plan::Collective;
using plan::Form;
using test::host_machine;
using testing::HasSubstr;

constexpr GemmSpec kGemm{{4096, 4096, 4096}};

Machine machine_with(const std::string& dma_launch) {
  return parse_machine(host_machine(2, dma_launch), "test");
}

CarrierAdvice advice(const std::string& dma_launch, Bytes block,
                     const std::optional<GemmSpec>& gemm = {}) {
  return advise_carrier(machine_with(dma_launch), {Collective::all_gather, 2, block}, gemm);
}

TEST(CarrierAdvice, BesideAGemmIsTheAdvisorsAmongTwo) {
  for (const Collective collective : plan::all_collectives()) {
    for (const char* launch : {test::kQuickDma, test::kMediumDma, test::kSlowDma}) {
      const Machine machine = machine_with(launch);
      const auto found = advise_carrier(machine, {collective, 2, kMiB}, kGemm);
      const Advice all = advise(machine, {kGemm, collective, 2 * kMiB}, RuleSet::model);
      const Considered* best =
          best_of(all.considered, std::vector<std::string>{"c3_base", "conccl"}, 0);
      EXPECT_EQ(found.form, find_strategy(best->name).form);
      EXPECT_THAT(found.sentence, testing::StartsWith(best->name + ", because "));
      EXPECT_THAT(found.sentence, testing::Not(HasSubstr("c3_rp")));
    }
  }
}

TEST(CarrierAdvice, HangsOnTheGemm) {
  EXPECT_EQ(advice(test::kMediumDma, kMiB).form, Form::compute);
  EXPECT_EQ(advice(test::kMediumDma, kMiB, kGemm).form, Form::dma);
}

TEST(CarrierAdvice, BySizeAlone) {
  const auto small = advice(test::kMediumDma, 1);
  EXPECT_EQ(small.form, Form::compute);
  EXPECT_THAT(small.sentence, testing::Eq("by the size alone, 0.100 ms predicted on DMA engines, "
                                          "0.010 ms by kernels."));
  EXPECT_EQ(advice(test::kMediumDma, 64 * kMiB).form, Form::dma);
}

TEST(CarrierAdvice, OfAMachineWithoutEngines) {
  Machine machine = machine_with(test::kQuickDma);
  machine.device.dma_engines = 0;
  for (const auto& gemm : {std::optional<GemmSpec>(), std::optional(kGemm)}) {
    EXPECT_EQ(advise_carrier(machine, {Collective::all_to_all, 2, kMiB}, gemm).form, Form::compute);
  }
}

TEST(CarrierAdvice, SaysWhatIsExtrapolated) {
  Machine machine = machine_with(test::kQuickDma);
  machine.model.fitted_from = kGiB;
  machine.model.fitted_to = 2 * kGiB;
  EXPECT_THAT(advise_carrier(machine, {Collective::all_gather, 2, kMiB}, kGemm).sentence,
              testing::EndsWith(" Extrapolated: 2M bytes; the model was fitted to 1G .. 2G."));
}

TEST(CarrierAdvice, OfAnyBlock) {
  for (const Bytes block : {Bytes{0}, Bytes{1}, Bytes{63}, Bytes{65}}) {
    EXPECT_FALSE(advice(test::kQuickDma, block, kGemm).sentence.empty());
    EXPECT_FALSE(advice(test::kQuickDma, block).sentence.empty());
  }
}

TEST(CarrierAdvice, NeedsAMachineOfAsManyDevicesAndItsFigures) {
  Machine machine = machine_with(test::kQuickDma);
  const auto ask = [&](int ranks, const GemmSpec& gemm) {
    return input_error([&] {
      static_cast<void>(advise_carrier(machine, {Collective::all_gather, ranks, kMiB}, gemm));
    });
  };
  EXPECT_THAT(ask(3, kGemm), HasSubstr("2 devices; expected 3, one for each rank"));
  EXPECT_THAT(ask(2, {kGemm.shape, GemmType::fp8}), HasSubstr("fp8"));
  machine.baseline.erase("all_gather");
  EXPECT_THAT(ask(2, kGemm), HasSubstr("baseline.all_gather is not known"));
}

}  // namespace
}  // namespace conccl::c3
