// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A profile on a suite small enough for a test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "conccl/backend/registry.hpp"
#include "conccl/bench/profile.hpp"

namespace conccl::bench {

using c3::BudgetKind;
using c3::Sample;

inline constexpr std::string_view kProfiled = R"(
schema = "conccl.suite/1"
name = "tiny"
type = "bf16"
[[scenario]]
name = "only"
gemm = "64x64x64"
bytes = "4K"
collectives = ["all_gather", "all_to_all"]
source = "a test"
)";

inline constexpr GemmSpec kFurther{{48, 32, 16}, GemmType::fp32};

/// The host's devices as if they were no emulation.
class PlainHost final : public backend::Backend {
 public:
  PlainHost() : capabilities_(host_->capabilities()) { capabilities_.emulation = false; }

  [[nodiscard]] const backend::Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] const Machine& machine() const override { return host_->machine(); }
  [[nodiscard]] std::unique_ptr<backend::Device> open_device(int index) override {
    return host_->open_device(index);
  }

 private:
  std::unique_ptr<backend::Backend> host_ = backend::open("host");
  backend::Capabilities capabilities_;
};

class ProfileRun : public testing::Test {
 protected:
  ProfileRun() {
    options_.study.suite = c3::parse_suite(kProfiled, "tiny.toml");
    options_.study.ranks = 2;
    options_.study.rounds = 1;
    options_.study.seed = 7;
    options_.study.sizes = SizePolicy::as_given;
  }

  void run(const ProfileHooks& hooks = {}) { run_profile(*backend_, options_, hooks, profile_); }

  [[nodiscard]] c3::DeviceShape device() const {
    return {backend_->capabilities().compute_units, backend_->capabilities().dma_engines};
  }

  /// Of strategies with a budget of the kind, each once.
  [[nodiscard]] std::set<int> budgets(BudgetKind kind) const {
    std::set<int> found;
    for (const auto& strategy : c3::strategies()) {
      if (strategy.budget != kind) continue;
      for (const int budget : c3::budgets_to_sweep(strategy, device())) found.insert(budget);
    }
    return found;
  }

  [[nodiscard]] std::set<std::pair<std::string, int>> found(Sample::Kind kind,
                                                            plan::Collective collective) const {
    std::set<std::pair<std::string, int>> set;
    for (const auto& sample : profile_.samples) {
      if (sample.kind != kind || sample.collective != collective) continue;
      EXPECT_TRUE(set.emplace(sample.how, sample.budget).second) << sample.how << sample.budget;
    }
    return set;
  }

  std::unique_ptr<backend::Backend> backend_ = backend::open("host");
  ProfileOptions options_;
  Profile profile_;
};

}  // namespace conccl::bench
