// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "conccl/core/machine.hpp"
#include "tests/core/support.hpp"

namespace conccl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kHead = R"(name = "box"
backend = "cuda"
devices = { value = 2, source = "counted" }
)";

Machine with(const std::string& rest) { return parse_machine(kHead + rest, "box.toml"); }

TEST(ParseMachine, NeedsOnlyTheHead) {
  const Machine machine = with("");
  EXPECT_EQ(machine.name, "box");
  EXPECT_EQ(machine.backend, "cuda");
  EXPECT_EQ(machine.devices, 2);
  EXPECT_EQ(machine.sources.at("devices"), "counted");
  EXPECT_EQ(machine.device.compute_units, 0);
  EXPECT_TRUE(machine.baseline.empty());
}

TEST(ParseMachine, ReadsDeviceAndLink) {
  const Machine machine = with(R"([device]
compute_units = { value = 132, source = "a" }
memory_bandwidth = { value = "4.8 TB/s", source = "b" }
memory = { value = "141G", source = "c" }
gemm_efficiency = { value = 1, source = "d" }
peak.bf16 = { value = "989.5 TFLOP/s", source = "e" }
[link]
topology = "switch"
peer_bandwidth = { value = "450 GB/s", source = "f" }
)");
  EXPECT_EQ(machine.device.compute_units, 132);
  EXPECT_EQ(machine.device.memory_gbps, 4800);
  EXPECT_EQ(machine.device.memory, 141 * kGiB);
  EXPECT_EQ(machine.device.gemm_efficiency, 1);
  EXPECT_EQ(machine.device.peak_tflops.at("bf16"), 989.5);
  EXPECT_EQ(machine.link.topology, "switch");
  EXPECT_EQ(machine.link.peer_gbps, 450);
  EXPECT_EQ(machine.sources.at("device.memory_gbps"), "b");
  EXPECT_EQ(machine.sources.at("device.peak_tflops.bf16"), "e");
  EXPECT_EQ(machine.sources.at("link.peer_gbps"), "f");
}

TEST(ParseMachine, ReadsBaselineAndNotes) {
  const Machine machine = with(R"([baseline.all_gather]
latency = { value = "24 us", source = "a" }
bandwidth = { value = "384 GB/s", source = "b" }
compute_units = { value = 64, source = "c" }
[notes]
driver = "580"
)");
  const CollectiveFacts& facts = machine.baseline.at("all_gather");
  EXPECT_EQ(facts.cost.at(0), Nanoseconds(24'000));
  EXPECT_EQ(facts.cost.at(384'000'000), Nanoseconds(1'024'000));
  EXPECT_EQ(facts.compute_units, 64);
  EXPECT_EQ(machine.sources.at("baseline.all_gather.cost.fixed_ns"), "a");
  EXPECT_EQ(machine.sources.at("baseline.all_gather.cost.ns_per_byte"), "b");
  EXPECT_EQ(machine.sources.at("baseline.all_gather.compute_units"), "c");
  EXPECT_EQ(machine.notes.at("driver"), "580");
}

TEST(ParseMachine, ReadsTheModel) {
  const Machine machine = with(R"([device]
compute_units = { value = 304, source = "a" }
[model]
link_efficiency = { value = 0.75, source = "b" }
late_share = { value = 0.11, source = "c" }
beside_dma = { value = 1.2, source = "d" }
dma_launch = { value = "90 us", source = "e" }
fitted_from = { value = "128M", source = "f" }
fitted_to = { value = "3328M", source = "f" }
[model.power]
cap = { value = "0.75 kW", source = "g" }
[model.slowdown]
compute_bound = { value = [[240, 1.27], [304, 1]], source = "h" }
)");
  EXPECT_EQ(machine.model.link_efficiency, 0.75);
  EXPECT_EQ(machine.model.late_share, 0.11);
  EXPECT_EQ(machine.model.beside_dma, 1.2);
  EXPECT_EQ(machine.model.dma_launch_ns, 90'000);
  EXPECT_EQ(machine.model.fitted_to, 3328 * kMiB);
  EXPECT_EQ(machine.model.power.cap_w, 750);
  const SlowdownTable expected{{240, 1.27}, {304, 1}};
  EXPECT_EQ(machine.model.slowdown.at("compute_bound"), expected);
  EXPECT_EQ(machine.sources.at("model.late_share"), "c");
  EXPECT_EQ(machine.sources.at("model.power.cap_w"), "g");
  EXPECT_EQ(machine.sources.at("model.slowdown.compute_bound"), "h");
}

/// `rest` follows the three lines of the head, so its first line is line 4.
struct BadFile {
  const char* name;
  const char* rest;
  const char* where;
  const char* why;
};

void PrintTo(const BadFile& bad, std::ostream* out) { *out << bad.name; }

class ParseMachineRejects : public testing::TestWithParam<BadFile> {};

TEST_P(ParseMachineRejects, WithLineColumnAndWhatWasExpected) {
  const BadFile& bad = GetParam();
  EXPECT_THAT(input_error([&] { (void)with(bad.rest); }),
              AllOf(StartsWith(std::string("box.toml:") + bad.where + ": "), HasSubstr(bad.why),
                    HasSubstr("expected")));
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseMachineRejects,
    testing::Values(
        BadFile{"syntax", "[device\n", "4:8", "]"},
        BadFile{"duplicate", "name = \"again\"\n", "4:8", "name"},
        BadFile{"unknown_table", "[devcie]\n", "4:2", "no field \"devcie\""},
        BadFile{"unknown_field", "[link]\n  peers = 3\n", "5:3", "link has no field \"peers\""},
        BadFile{"unknown_peak", "[device.peak]\nbf17 = 1\n", "5:1", "no field \"bf17\""},
        BadFile{"unknown_in_figure", "[link]\npeer_bandwidth = { value = 1, note = 2 }\n", "5:31",
                "link.peer_bandwidth has no field \"note\""},
        BadFile{"not_a_table", "device = 3\n", "4:10", "device is not a table"},
        BadFile{"bare_figure", "[link]\npeer_bandwidth = \"64 GB/s\"\n", "5:18", "has no source"},
        BadFile{"no_source", "[link]\npeer_bandwidth = { value = \"64 GB/s\" }\n", "5:18",
                "link.peer_bandwidth has no \"source\""},
        BadFile{"empty_source", "[link]\npeer_bandwidth = { value = \"64 GB/s\", source = \"\" }\n",
                "5:48", "link.peer_bandwidth.source is empty"},
        BadFile{"source_type", "[link]\npeer_bandwidth = { value = \"64 GB/s\", source = 7 }\n",
                "5:48", "link.peer_bandwidth.source is not a string"},
        BadFile{"no_value", "[link]\npeer_bandwidth = { source = \"s\" }\n", "5:18",
                "link.peer_bandwidth has no \"value\""},
        BadFile{"unit", "[link]\npeer_bandwidth = { value = \"64 Gb/s\", source = \"s\" }\n",
                "5:28", "the unit \"Gb/s\" is not known; expected a number and one of GB/s"},
        BadFile{"no_unit", "[link]\npeer_bandwidth = { value = \"64\", source = \"s\" }\n", "5:28",
                "no unit"},
        BadFile{"number_for_text", "[link]\npeer_bandwidth = { value = 64, source = \"s\" }\n",
                "5:28",
                "link.peer_bandwidth has no unit; expected a number and one of GB/s, TB/s, MB/s"},
        BadFile{"zero_bandwidth",
                "[link]\npeer_bandwidth = { value = \"0 GB/s\", source = \"s\" }\n", "5:28",
                "link.peer_bandwidth is zero"},
        BadFile{"negative_bandwidth",
                "[link]\npeer_bandwidth = { value = \"-6 GB/s\", source = \"s\" }\n", "5:28",
                "negative"},
        BadFile{"zero_count", "[device]\ndma_engines = { value = 0, source = \"s\" }\n", "5:25",
                "device.dma_engines is 0"},
        BadFile{"negative_count", "[device]\ndma_engines = { value = -3, source = \"s\" }\n",
                "5:25", "device.dma_engines is -3"},
        BadFile{"huge_count", "[device]\ndma_engines = { value = 2147483648, source = \"s\" }\n",
                "5:25", "expected between 1 and 2147483647"},
        BadFile{"fractional_count", "[device]\ndma_engines = { value = 1.5, source = \"s\" }\n",
                "5:25", "not a whole number"},
        BadFile{"bytes", "[device]\nmemory = { value = \"192 GB\", source = \"s\" }\n", "5:20",
                "the suffix \" GB\" is not known"},
        BadFile{"zero_bytes", "[device]\nmemory = { value = \"0\", source = \"s\" }\n", "5:20",
                "device.memory is zero"},
        BadFile{"share_over_one", "[device]\ngemm_efficiency = { value = 70, source = \"s\" }\n",
                "5:29", "device.gemm_efficiency is 70"},
        BadFile{"share_zero", "[device]\ngemm_efficiency = { value = 0.0, source = \"s\" }\n",
                "5:29", "expected over 0, at most 1"},
        BadFile{"share_type", "[device]\ngemm_efficiency = { value = \"70%\", source = \"s\" }\n",
                "5:29", "not a number"},
        BadFile{"topology", "[link]\ntopology = \"ring\"\n", "5:12",
                "link.topology is \"ring\"; expected one of full-mesh, switch, shared-memory"},
        BadFile{"no_latency",
                "[baseline.all_gather]\nbandwidth = { value = \"1 GB/s\", source = \"s\" }\n",
                "4:1", "baseline.all_gather has no \"latency\""},
        BadFile{"latency_unit",
                "[baseline.all_gather]\nlatency = { value = \"1 GB/s\", source = \"s\" }\n", "5:21",
                "baseline.all_gather.latency: "},
        BadFile{"baseline_bandwidth_of_next_to_nothing",
                "[baseline.all_gather]\nlatency = { value = \"1 us\", source = \"s\" }\n"
                "bandwidth = { value = \"1e-320 GB/s\", source = \"s\" }\n",
                "6:23", "expected a real one"},
        BadFile{"unknown_baseline_field", "[baseline.all_gather]\nalgorithm = \"ring\"\n", "5:1",
                "no field \"algorithm\""},
        BadFile{"baseline_type", "[baseline]\nall_gather = 3\n", "5:14",
                "baseline.all_gather is not a table"},
        BadFile{"unknown_model_field", "[model]\nlate = 3\n", "5:1", "model has no field \"late\""},
        BadFile{"factor_below_one", "[model]\nbeside_dma = { value = 0.9, source = \"s\" }\n",
                "5:24", "model.beside_dma is 0.9; expected a number of at least 1"},
        BadFile{"factor_infinite", "[model]\nbeside_dma = { value = inf, source = \"s\" }\n",
                "5:24", "model.beside_dma is inf"},
        BadFile{"negative_share", "[model]\nlate_share = { value = -0.1, source = \"s\" }\n",
                "5:24", "model.late_share is -0.1"},
        BadFile{"memory_below_gemm",
                "device.gemm_efficiency = { value = 0.8, source = \"s\" }\n"
                "[model]\nmemory_efficiency = { value = 0.7, source = \"s\" }\n",
                "6:21", "expected at least device.gemm_efficiency, 0.8"},
        BadFile{"fitted_range",
                "[model]\nfitted_from = { value = \"2M\", source = \"s\" }\n"
                "fitted_to = { value = \"1M\", source = \"s\" }\n",
                "6:13", "model.fitted_to is below model.fitted_from"},
        BadFile{"idle_over_cap",
                "[model.power]\ncap = { value = \"500 W\", source = \"s\" }\n"
                "idle = { value = \"600 W\", source = \"s\" }\n",
                "4:1", "model.power.idle is 600 W; expected less than the cap of 500 W"},
        BadFile{"unknown_table_of_slowdowns", "[model.slowdown]\ngemm = 1\n", "5:1",
                "no field \"gemm\"; expected one of compute_bound"},
        BadFile{"slowdown_type", "[model.slowdown]\nall_gather = { value = 3, source = \"s\" }\n",
                "5:24", "is not a list of points"},
        BadFile{"no_points", "[model.slowdown]\nall_gather = { value = [], source = \"s\" }\n",
                "5:24", "is not a list of points"},
        BadFile{"short_point", "[model.slowdown]\nall_gather = { value = [[3]], source = \"s\" }\n",
                "5:25", "has a point that is not [units, factor]"},
        BadFile{"slowdown_units",
                "[model.slowdown]\nall_gather = { value = [[0, 1]], source = \"s\" }\n", "5:26",
                "model.slowdown.all_gather is 0; expected between 1"},
        BadFile{"slowdown_factor",
                "[model.slowdown]\nall_gather = { value = [[3, 0]], source = \"s\" }\n", "5:25",
                "has the factor 0; expected a number over 0"},
        BadFile{"more_units_than_there_are",
                "device.compute_units = { value = 100, source = \"s\" }\n"
                "[model.slowdown]\nall_gather = { value = [[101, 1]], source = \"s\" }\n",
                "6:25", "has 101 units; expected at most the device's 100"},
        BadFile{"descending_units",
                "[model.slowdown]\nall_gather = { value = [[8, 2], [8, 1]], source = \"s\" }\n",
                "5:33", "has 8 units behind 8; expected ascending units"},
        BadFile{"note_type", "[notes]\ncores = 3\n", "5:9", "notes.cores is not a string"}));

struct BadHead {
  const char* name;
  const char* text;
  const char* where;
  const char* why;
};

void PrintTo(const BadHead& bad, std::ostream* out) { *out << bad.name; }

class ParseMachineRejectsHead : public testing::TestWithParam<BadHead> {};

TEST_P(ParseMachineRejectsHead, WithLineColumnAndWhatWasExpected) {
  const BadHead& bad = GetParam();
  EXPECT_THAT(input_error([&] { (void)parse_machine(bad.text, "m"); }),
              AllOf(StartsWith(std::string("m:") + bad.where + ": "), HasSubstr(bad.why),
                    HasSubstr("expected")));
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseMachineRejectsHead,
    testing::Values(BadHead{"empty", "", "1:1", "the machine has no \"name\""},
                    BadHead{"no_backend", "name = \"a\"", "1:1", "the machine has no \"backend\""},
                    BadHead{"no_devices", "name = \"a\"\nbackend = \"host\"", "1:1",
                            "has no \"devices\""},
                    BadHead{"empty_name", "name = \"\"", "1:8", "name is empty"},
                    BadHead{"name_type", "name = 3", "1:8", "name is not a string"},
                    BadHead{"backend", "name = \"a\"\nbackend = \"opencl\"", "2:11",
                            "backend is \"opencl\"; expected one of host, cuda, hsa"},
                    BadHead{"bare_devices", "name = \"a\"\nbackend = \"host\"\ndevices = 8", "3:11",
                            "devices has no source"}));

TEST(LoadMachine, NamesAFileThatItCannotRead) {
  EXPECT_THAT(input_error([] { (void)load_machine("/nonexistent/box.toml"); }),
              AllOf(HasSubstr("\"/nonexistent/box.toml\""), HasSubstr("No such file")));
  EXPECT_THAT(input_error([] { (void)load_machine(std::filesystem::temp_directory_path()); }),
              HasSubstr("directory"));
}

}  // namespace
}  // namespace conccl
