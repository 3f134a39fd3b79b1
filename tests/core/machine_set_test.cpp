// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conccl/core/errors.hpp"
#include "conccl/core/machine.hpp"
#include "tests/core/support.hpp"

namespace conccl {
namespace {

using testing::HasSubstr;

Machine two_devices() {
  return parse_machine(
      "name = \"m\"\nbackend = \"cuda\"\ndevices = { value = 2, source = \"s\" }\n[device]\n"
      "compute_units = { value = 132, source = \"s\" }\n[link]\ntopology = \"switch\"\n"
      "peer_bandwidth = { value = \"390 GB/s\", source = \"s\" }\n",
      "m.toml");
}

Machine changed_by(const std::string& setting) {
  return with_settings(two_devices(), {&setting, 1});
}

void expect_refused(const std::string& setting, const std::string& part) {
  try {
    static_cast<void>(changed_by(setting));
    ADD_FAILURE() << setting << " was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(part));
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
  }
}

TEST(MachineSettings, NoneLeaveTheMachineAsItIs) {
  EXPECT_EQ(with_settings(two_devices(), {}), two_devices());
}

TEST(MachineSettings, ChangeAFigureAndItsSource) {
  const Machine changed = changed_by("device.compute_units=64");
  EXPECT_EQ(changed.device.compute_units, 64);
  EXPECT_EQ(changed.sources.at("device.compute_units"), "set");
  Machine back = changed;
  back.device.compute_units = 132;
  back.sources["device.compute_units"] = "s";
  EXPECT_EQ(back, two_devices());
}

TEST(MachineSettings, TakeUnitsWithoutQuotesAndMakeWhatIsNotThere) {
  EXPECT_EQ(changed_by("link.peer_bandwidth=450 GB/s").link.peer_gbps, 450);
  EXPECT_EQ(changed_by("link.peer_bandwidth=\"450 GB/s\"").link.peer_gbps, 450);
  EXPECT_EQ(changed_by("device.peak.bf16=990 TFLOP/s").device.peak_tflops.at("bf16"), 990);
  EXPECT_EQ(changed_by("model.late_share=0.25").model.late_share, 0.25);
  const SlowdownTable table{{64, 1.5}, {132, 1}};
  EXPECT_EQ(changed_by("model.slowdown.compute_bound=[[64, 1.5], [132, 1]]")
                .model.slowdown.at("compute_bound"),
            table);
}

TEST(MachineSettings, ChangeWords) {
  EXPECT_EQ(changed_by("name=another").name, "another");
  EXPECT_EQ(changed_by("link.topology=full-mesh").link.topology, "full-mesh");
}

TEST(MachineSettings, TheLastOneOfAFigureCounts) {
  const std::vector<std::string> settings{"devices=4", "devices=8"};
  EXPECT_EQ(with_settings(two_devices(), settings).devices, 8);
}

TEST(MachineSettings, LeaveKnownGemmsAsTheyAre) {
  Machine machine = two_devices();
  const GemmSpec fp8{{8, 4, 2}, GemmType::fp8};
  machine.model.gemms = {{{{8, 4, 2}}, 100, {{64, 1.9}, {132, 1}}, {}}, {fp8, 90, {}, {}}};
  machine.model.slowdown["all_gather"] = {{16, 1}};
  machine.sources["model.slowdown.all_gather"] = "s";
  machine.sources[source_field({{8, 4, 2}})] = "measured";
  machine.sources[source_field(fp8)] = "measured too";
  const std::vector<std::string> settings{"model.late_share=0.25", "model.gemm_launch=2 us"};
  const Machine changed = with_settings(machine, settings);
  EXPECT_EQ(changed.model.gemms, machine.model.gemms);
  EXPECT_EQ(changed.sources.at("model.gemm.8x4x2.fp8"), "measured too");
  EXPECT_EQ(changed.model.late_share, 0.25);
  EXPECT_EQ(changed.model.gemm_launch_ns, 2000);
  EXPECT_THAT(input_error([&] {
                const std::string setting = "model.gemm.8x4x2=1 us";
                static_cast<void>(with_settings(machine, {&setting, 1}));
              }),
              HasSubstr("model.gemm.8x4x2 is in a list; expected a figure outside \"gemm\""));
}

TEST(MachineSettings, RefuseWhatAFileMayNotHold) {
  expect_refused("devices", "expected FIELD=VALUE");
  expect_refused("=4", "expected FIELD=VALUE");
  expect_refused("devices=", "expected FIELD=VALUE");
  expect_refused("devices=0", "devices");
  expect_refused("devices=two", "devices");
  expect_refused("device.wheels=4", "no field \"wheels\"");
  expect_refused("link.peer_bandwidth=450", "link.peer_bandwidth");
  expect_refused("link.topology=ring", "link.topology");
  expect_refused("devices.value.value=4", "devices");
  expect_refused("name.first=x", "a figure of its own");
  expect_refused("a.b.c.d.e=1", "more than 3 dots");
  expect_refused("device.compute_units=1\n[link", "device.compute_units");
}

}  // namespace
}  // namespace conccl
