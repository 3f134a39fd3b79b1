// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <vector>

#include "conccl/core/machine.hpp"
#include "core/machine_fields.hpp"
#include "tests/core/support.hpp"

namespace conccl {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Text with everything that TOML must escape.
std::string any_text() {
  return *rc::gen::nonEmpty(rc::gen::container<std::string>(
      rc::gen::weightedOneOf<char>({{8, rc::gen::inRange<char>(' ', '~')},
                                    {1, rc::gen::element('"', '\\', '\n', '\t', '\x7f')}})));
}

const std::vector<GemmType> kGemmTypes(all_gemm_types().begin(), all_gemm_types().end());

int any_count() { return *rc::gen::inRange(0, 1000); }
double any_rate() { return *rc::gen::inRange(0, 10'000'000) / 1000.0; }
Bytes any_size() { return *rc::gen::inRange<Bytes>(0, kGiB) << *rc::gen::inRange(0, 20); }

void add_peaks(Machine& machine) {
  for (const std::string_view type : kPeakTypes) {
    if (!*rc::gen::arbitrary<bool>()) continue;
    machine.device.peak_tflops[std::string(type)] = any_rate() + 0.5;
    machine.sources["device.peak_tflops." + std::string(type)] = any_text();
  }
}

void add_baseline(Machine& machine, const std::string& name) {
  CollectiveFacts& facts = machine.baseline[name];
  facts = {{any_rate(), 1 / (any_rate() + 0.5)}, any_count()};
  const Bytes points = *rc::gen::inRange<Bytes>(0, 4);
  for (Bytes i = 1; i <= points; ++i)
    facts.times.push_back({i * kMiB, 1000.0 * static_cast<double>(i) + any_count()});
  for (const char* const field : {"cost.fixed_ns", "cost.ns_per_byte", "times", "compute_units"}) {
    machine.sources["baseline." + name + "." + field] = any_text();
  }
}

SlowdownTable any_table() {
  SlowdownTable table;
  const int points = *rc::gen::inRange(1, 5);
  for (int i = 1; i <= points; ++i)
    table.push_back({100 * i - any_count() % 100, any_rate() + 0.5});
  return table;
}

BesideFacts any_factors() {
  BesideFacts factors;
  for (const auto& figure : kBesideFigures) {
    factors.*std::get<double BesideFacts::*>(figure.member) =
        1 + *rc::gen::inRange(0, 1001) / 1000.0;
  }
  return factors;
}

/// No two of one shape and type.
void add_gemms(Machine& machine) {
  const int gemms = *rc::gen::inRange(0, 4);
  for (int i = 1; i <= gemms; ++i) {
    const GemmSpec gemm{{i, any_count() + 1, any_count() + 1}, *rc::gen::elementOf(kGemmTypes)};
    machine.model.gemms.push_back({gemm, any_rate() + 0.5, {}, {}});
    if (*rc::gen::arbitrary<bool>()) machine.model.gemms.back().slowdown = any_table();
    if (*rc::gen::arbitrary<bool>()) machine.model.gemms.back().slowdown_beside = any_table();
    if (*rc::gen::arbitrary<bool>()) {
      machine.model.gemms.back().beside["all_to_all"] = any_factors();
    }
    machine.sources[source_field(gemm)] = any_text();
  }
}

/// Each figure with what its kind may be; zero is not known.
template <typename Facts, typename Figures>
void fill(Facts& facts, const Figures& figures) {
  for (const auto& figure : figures) {
    const double share = *rc::gen::inRange(0, 1001) / 1000.0;
    if (const auto* const whole = std::get_if<int Facts::*>(&figure.member)) {
      facts.** whole = any_count();
    } else if (const auto* const size = std::get_if<Bytes Facts::*>(&figure.member)) {
      facts.** size = any_size();
    } else {
      const bool factor = std::holds_alternative<Factor>(figure.scale);
      const bool rate = std::holds_alternative<Quantity>(figure.scale);
      facts.*std::get<double Facts::*>(figure.member) = rate     ? any_rate()
                                                        : factor ? 1 + share
                                                                 : share;
    }
  }
}

/// What a file may hold, with figures that agree with each other.
void add_model(Machine& machine) {
  ModelFacts& model = machine.model;
  const auto share = [] { return *rc::gen::inRange(0, 1001) / 1000.0; };
  fill(model, kModelFigures);
  model.memory_efficiency = 1;
  model.fitted_from = 1;
  model.fitted_to = 1 + any_size();
  model.power = {1001 + any_rate(), *rc::gen::inRange(0, 1000) + 0.5,
                 any_rate(),        any_rate(),
                 any_rate(),        1 + share()};
  machine.device.compute_units = 0;  // any number of units in the tables
  for (const auto& figure : kModelFigures) machine.sources[std::string(figure.field)] = any_text();
  for (const auto& figure : kPowerFigures) machine.sources[std::string(figure.field)] = any_text();
  for (const std::string_view kind : kGemmKinds) {
    if (!*rc::gen::arbitrary<bool>()) continue;
    for (const std::string_view collective : kCollectives) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      model.beside[std::string(kind)][std::string(collective)] = any_factors();
      for (const auto& figure : kBesideFigures) {
        machine.sources[fmt::format("model.beside.{}.{}.{}", kind, collective, figure.field)] =
            any_text();
      }
    }
  }
  for (const std::string_view name : kSlowdownTables) {
    if (!*rc::gen::arbitrary<bool>()) continue;
    model.slowdown[std::string(name)] = any_table();
    machine.sources["model.slowdown." + std::string(name)] = any_text();
  }
  add_gemms(machine);
}

Machine any_machine() {
  Machine machine;
  machine.name = any_text();
  machine.backend = *rc::gen::elementOf(kBackends);
  machine.devices = any_count() + 1;
  machine.device = {any_count(),
                    any_count(),
                    any_rate(),
                    any_size(),
                    any_size(),
                    {},
                    *rc::gen::inRange(0, 1001) / 1000.0};
  machine.link = {std::string(*rc::gen::elementOf(kTopologies)), any_rate(), any_rate()};
  const auto cite = [&](const auto& figures) {
    for (const auto& figure : figures) machine.sources[std::string(figure.field)] = any_text();
  };
  cite(kMachineFigures);
  cite(kDeviceFigures);
  cite(kLinkFigures);
  add_peaks(machine);
  if (*rc::gen::arbitrary<bool>()) add_model(machine);
  if (*rc::gen::arbitrary<bool>()) add_baseline(machine, "all_gather");
  if (*rc::gen::arbitrary<bool>()) add_baseline(machine, "all to all");
  if (*rc::gen::arbitrary<bool>()) machine.notes[any_text()] = any_text();
  return machine;
}

RC_GTEST_PROP(ToToml, IsUndoneByParseMachine, ()) {
  const Machine machine = any_machine();
  const Machine read = parse_machine(to_toml(machine), "round trip");
  // Figures that are not known are left out, and their sources with them.
  for (const auto& [field, source] : read.sources) RC_ASSERT(machine.sources.at(field) == source);
  Machine expected = machine;
  expected.sources = read.sources;
  RC_ASSERT(read == expected);
}

Machine small_machine() {
  Machine machine;
  machine.name = "box";
  machine.backend = "host";
  machine.devices = 4;
  machine.sources["devices"] = "probed";
  return machine;
}

TEST(ToToml, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(to_toml(small_machine()),
            "name = \"box\"\nbackend = \"host\"\n"
            "devices = { value = 4, source = \"probed\" }\n\n[device]\n\n[link]\n");
}

TEST(ToToml, RefusesAFigureWithoutASource) {
  Machine machine = small_machine();
  machine.link.peer_gbps = 12;
  EXPECT_THAT(input_error([&] { (void)to_toml(machine); }),
              AllOf(HasSubstr("machine \"box\""), HasSubstr("link.peer_gbps has no source")));
  machine.sources["link.peer_gbps"] = "";
  EXPECT_THROW((void)to_toml(machine), InputError);
}

TEST(ToToml, RefusesABaselineWhoseBytesAreFree) {
  Machine machine = small_machine();
  machine.baseline["all_gather"].cost = {1000, 0};
  EXPECT_THAT(input_error([&] { (void)to_toml(machine); }),
              HasSubstr("baseline.all_gather.cost.ns_per_byte is 0"));
}

TEST(ToToml, WritesKnownGemms) {
  Machine machine = small_machine();
  const GemmSpec fp8{{8, 4, 2}, GemmType::fp8};
  machine.model.gemms = {{{{8192, 8192, 8192}}, 1'466'000, {{64, 1.9}, {132, 1}}}, {fp8, 90, {}}};
  machine.sources[source_field({{8192, 8192, 8192}})] = "a \"b\"";
  machine.sources[source_field(fp8)] = "c";
  EXPECT_THAT(to_toml(machine), testing::EndsWith(R"(
[model]

[[model.gemm]]
shape = "8192x8192x8192"
type = "bf16"
time = "1466 us"
slowdown = [[64, 1.9], [132, 1]]
source = "a \"b\""

[[model.gemm]]
shape = "8x4x2"
type = "fp8"
time = "90 ns"
source = "c"
)"));
  EXPECT_EQ(parse_machine(to_toml(machine), "m"), machine);
}

TEST(ToToml, RefusesAKnownGemmWithoutTimeOrSource) {
  Machine machine = small_machine();
  machine.model.gemms = {{{{8, 4, 2}}, 0, {}}};
  EXPECT_THAT(input_error([&] { (void)to_toml(machine); }),
              HasSubstr("model.gemm.8x4x2.bf16.time is 0 ns; expected more than zero"));
  machine.model.gemms.front().time_ns = 5;
  EXPECT_THAT(input_error([&] { (void)to_toml(machine); }),
              HasSubstr("model.gemm.8x4x2.bf16 has no source"));
}

TEST(ToToml, WritesTheLargestFiguresThereAre) {
  Machine machine = small_machine();
  machine.link.peer_gbps = std::numeric_limits<double>::max();
  machine.sources["link.peer_gbps"] = "none";
  EXPECT_EQ(parse_machine(to_toml(machine), "m"), machine);
}

}  // namespace
}  // namespace conccl
