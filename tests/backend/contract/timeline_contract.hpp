// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The timeline: which unit ran what. Shares and engines are real or the spans show it.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "conccl/core/errors.hpp"
#include "tests/backend/contract/backend_contract.hpp"

namespace conccl::backend::contract {

class TimelineContract : public BackendContract {
 protected:
  /// Units of one lane, as the timeline names them.
  static std::set<std::string> units_of(const plan::Timeline& timeline, const std::string& lane) {
    std::set<std::string> units;
    for (const plan::Span& span : timeline.spans) {
      if (span.lane == lane) units.insert(span.unit);
    }
    return units;
  }

  static std::set<std::string> numbered(const std::string& kind, int from, int end) {
    std::set<std::string> names;
    for (int i = from; i < end; ++i) names.insert(kind + std::to_string(i));
    return names;
  }

  static bool within(const std::set<std::string>& units, const std::set<std::string>& allowed) {
    return !units.empty() && std::ranges::includes(allowed, units);
  }

  [[nodiscard]] std::unique_ptr<Queue> lane(const std::string& label, plan::Engine engine,
                                            plan::Share share) {
    return device().make_queue({label, engine, share, plan::Priority::normal});
  }
};

TEST_P(TimelineContract, EachLaneRunsOnItsOwnUnits) {
  if (!backend().capabilities().units_in_timeline) GTEST_SKIP() << "its timeline names no units";
  using Kind = plan::Share::Kind;
  const int units = backend().capabilities().compute_units;
  const Memory source = device().allocate(8 * kMiB);
  const Memory target = device().allocate(8 * kMiB);
  for (int k = 1; k < units; ++k) {
    const auto dma = lane("dma", plan::Engine::dma, {});
    const auto few = lane("few", plan::Engine::compute, {Kind::only, k});
    const auto rest = lane("rest", plan::Engine::compute, {Kind::all_but, k});
    const auto task = device().make_poison(source.data(), source.bytes());
    device().start_timeline();
    for (auto* queue : {dma.get(), few.get()}) {
      queue->copy(target.data(), source.data(), source.bytes(), {0, 1});
      queue->submit();
      ASSERT_TRUE(queue->synchronize(kLimit));
    }
    rest->compute(*task, {0, 2});
    finish(*rest);
    const plan::Timeline timeline = device().take_timeline();
    EXPECT_TRUE(within(units_of(timeline, "dma"),
                       numbered("dma", 0, backend().capabilities().dma_engines)));
    EXPECT_TRUE(within(units_of(timeline, "few"), numbered("compute", 0, k)));
    EXPECT_TRUE(within(units_of(timeline, "rest"), numbered("compute", k, units)));
  }
}

TEST_P(TimelineContract, SpansSayWhatRan) {
  const Memory source = device().allocate(kMiB + 1);
  const Memory target = device().allocate(kMiB + 1);
  const auto copies = lane("copies", plan::Engine::dma, {});
  const Nanoseconds before = device().now();
  device().start_timeline();
  copies->copy(target.data(), source.data(), 1, {3, 4});
  copies->copy(target.at(1), source.at(1), kMiB, {3, 5});
  finish(*copies);
  const plan::Timeline timeline = device().take_timeline();
  Bytes small = 0;
  Bytes large = 0;
  for (const plan::Span& span : timeline.spans) {
    EXPECT_EQ(span.rank, 3);
    EXPECT_EQ(span.lane, "copies");
    (span.step == 4 ? small : large) += span.bytes;
    EXPECT_TRUE(span.step == 4 || span.step == 5);
    EXPECT_LE(before, span.start);
    EXPECT_LE(span.start, span.end);
    EXPECT_LE(span.end, device().now());
  }
  EXPECT_EQ(small, 1U);
  EXPECT_EQ(large, kMiB);
}

TEST_P(TimelineContract, NothingIsRecordedUnasked) {
  const Memory memory = device().allocate(kMiB);
  fill(memory, {1, 1});
  EXPECT_TRUE(device().take_timeline().spans.empty());
  device().start_timeline();
  fill(memory, {1, 1});
  EXPECT_FALSE(device().take_timeline().spans.empty());
  fill(memory, {1, 1});
  EXPECT_TRUE(device().take_timeline().spans.empty());
}

TEST_P(TimelineContract, ASignalBeforeWorkIsRaisedAsTheWorkStarts) {
  const auto flags = device().make_flags(1);
  const Memory source = device().allocate(4 * kMiB);
  const Memory target = device().allocate(4 * kMiB);
  const auto first = lane("first", plan::Engine::dma, {});
  const auto gated = lane("gated", plan::Engine::compute, {});
  for (std::uint64_t round = 1; round <= 10; ++round) {
    Timestamp released{};
    device().start_timeline();
    gated->wait({flags.get(), 0}, round);
    gated->timestamp(released);
    gated->submit();
    first->signal({flags.get(), 0}, round);
    first->copy(target.data(), source.data(), source.bytes(), {});
    finish(*first);
    finish(*gated);
    const plan::Timeline timeline = device().take_timeline();
    ASSERT_FALSE(timeline.spans.empty());
    EXPECT_LE(timeline.spans.front().start, released + GetParam().start_slack);
  }
}

TEST_P(TimelineContract, ASignalBeforeNothingIsStillRaised) {
  const auto flags = device().make_flags(2);
  const auto copies = lane("copies", plan::Engine::dma, {});
  copies->signal({flags.get(), 0}, 1);
  copies->copy(nullptr, nullptr, 0, {});
  copies->signal({flags.get(), 1}, 1);
  finish(*copies);
  EXPECT_EQ(flags->value(0), 1U);
  EXPECT_EQ(flags->value(1), 1U);
}

TEST_P(TimelineContract, SharesTheDeviceDoesNotHaveAreRefused) {
  using Kind = plan::Share::Kind;
  const int units = backend().capabilities().compute_units;
  for (const auto share : {plan::Share{Kind::only, units + 1},
                           {Kind::only, 0},
                           {Kind::only, -1},
                           {Kind::all_but, units},
                           {Kind::all_but, -1}}) {
    EXPECT_THROW((void)lane("bad", plan::Engine::compute, share), Unavailable);
  }
  EXPECT_NO_THROW((void)lane("all", plan::Engine::compute, {Kind::only, units}));
  const int step = backend().capabilities().unit_step;
  const int half = units / 2 / step * step;
  EXPECT_NO_THROW((void)lane("half", plan::Engine::compute, {Kind::only, half}));
  EXPECT_NO_THROW((void)lane("rest", plan::Engine::compute, {Kind::all_but, half}));
  if (step == 1) return;
  EXPECT_THROW((void)lane("uneven", plan::Engine::compute, {Kind::only, step + 1}), Unavailable);
}

TEST_P(TimelineContract, CapabilitiesAreComplete) {
  const Capabilities& found = backend().capabilities();
  EXPECT_FALSE(found.backend.empty());
  EXPECT_GE(found.max_devices, 1);
  EXPECT_GE(found.compute_units, 1);
  EXPECT_GE(found.dma_engines, 1);
  EXPECT_EQ(found.gemms.empty(), found.gemm_library.empty());
  EXPECT_THROW((void)backend().open_device(-1), InputError);
  EXPECT_THROW((void)backend().open_device(found.max_devices), InputError);
}

TEST_P(TimelineContract, TheMachineIsAsGoodAsAFile) {
  const Machine& machine = backend().machine();
  EXPECT_EQ(machine.backend, backend().capabilities().backend);
  EXPECT_GT(machine.device.memory_gbps, 0);
  EXPECT_GT(machine.device.memory, 0U);
  const Machine again = parse_machine(to_toml(machine), "probed");
  EXPECT_EQ(again.device.compute_units, backend().capabilities().compute_units);
  EXPECT_EQ(again.device.dma_engines, backend().capabilities().dma_engines);
}

}  // namespace conccl::backend::contract
