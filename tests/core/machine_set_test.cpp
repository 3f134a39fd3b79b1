// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conccl/core/errors.hpp"
#include "conccl/core/machine.hpp"

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
