// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "conccl/core/errors.hpp"
#include "core/machine_fields.hpp"

namespace conccl {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string key_text(std::string_view key) {
  constexpr std::string_view kBare =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool bare = !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
  return bare ? std::string(key) : quoted(key);
}

/// The bandwidth that is read back as exactly `ns_per_byte`, where there is one: the reciprocal of
/// a reciprocal may miss it by a rounding.
double bandwidth_of(double ns_per_byte) {
  const double nearest = 1 / ns_per_byte;
  const double below = std::nextafter(nearest, 0);
  const double above = std::nextafter(nearest, HUGE_VAL);
  for (const double candidate : {nearest, below, above}) {
    if (1 / candidate == ns_per_byte) return candidate;
  }
  return nearest;
}

std::string points(const SlowdownTable& table) {
  std::vector<std::string> list;
  for (const auto& point : table)
    list.push_back(fmt::format("[{}, {}]", point.units, point.factor));
  return fmt::format("[{}]", fmt::join(list, ", "));
}

std::string points(const std::vector<CollectiveTime>& times) {
  std::vector<std::string> list;
  for (const auto& point : times) {
    list.push_back(fmt::format("[{}, {}]", quoted(format_bytes(point.bytes)),
                               quoted(format_quantity(point.ns, Quantity::duration))));
  }
  return fmt::format("[{}]", fmt::join(list, ", "));
}

std::string inline_table(const BesideFacts& facts) {
  std::vector<std::string> list;
  for (const auto& figure : kBesideFigures) {
    const double factor = facts.*std::get<double BesideFacts::*>(figure.member);
    if (factor != 0) list.push_back(fmt::format("{} = {}", figure.key, factor));
  }
  return fmt::format("{{ {} }}", fmt::join(list, ", "));
}

std::string inline_table(const BesideCollectives& collectives) {
  std::vector<std::string> list;
  for (const auto& [name, facts] : collectives) {
    list.push_back(fmt::format("{} = {}", name, inline_table(facts)));
  }
  return fmt::format("{{ {} }}", fmt::join(list, ", "));
}

class Writer {
 public:
  explicit Writer(const Machine& machine) : machine_(machine) {}

  std::string text();

 private:
  void section(std::string_view title) { text_ += fmt::format("\n[{}]\n", title); }
  void line(std::string_view key, std::string_view value) {
    text_ += fmt::format("{} = {}\n", key_text(key), value);
  }
  const std::string& source_of(const std::string& field) const;
  void figure(std::string_view key, const std::string& field, std::string_view value);
  template <typename Facts, typename Figures>
  void figures(const Figures& list, const Facts& facts, const std::string& prefix = "");
  void peaks();
  void link();
  void model();
  void slowdown(const std::string& name, const SlowdownTable& table);
  void gemm(const KnownGemm& known);
  void collective(const std::string& name, const CollectiveFacts& facts);
  void notes();

  const Machine& machine_;
  std::string text_;
};

const std::string& Writer::source_of(const std::string& field) const {
  const auto source = machine_.sources.find(field);
  if (source == machine_.sources.end() || source->second.empty()) {
    throw InputError(fmt::format("machine \"{}\": {} has no source; expected one in `sources`",
                                 machine_.name, field));
  }
  return source->second;
}

void Writer::figure(std::string_view key, const std::string& field, std::string_view value) {
  line(key, fmt::format("{{ value = {}, source = {} }}", value, quoted(source_of(field))));
}

/// Zero means "not known", and what is not known is left out.
template <typename Facts, typename Figures>
void Writer::figures(const Figures& list, const Facts& facts, const std::string& prefix) {
  for (const auto& entry : list) {
    const std::string field = prefix + std::string(entry.field);
    if (const auto* const whole = std::get_if<int Facts::*>(&entry.member)) {
      if (facts.**whole != 0) figure(entry.key, field, fmt::format("{}", facts.**whole));
    } else if (const auto* const size = std::get_if<Bytes Facts::*>(&entry.member)) {
      if (facts.**size != 0) figure(entry.key, field, quoted(format_bytes(facts.**size)));
    } else {
      const double value = facts.*std::get<double Facts::*>(entry.member);
      if (value == 0) continue;
      const auto* const quantity = std::get_if<Quantity>(&entry.scale);
      figure(entry.key, field,
             quantity != nullptr ? quoted(format_quantity(value, *quantity))
                                 : fmt::format("{}", value));
    }
  }
}

void Writer::peaks() {
  if (machine_.device.peak_tflops.empty()) return;
  section("device.peak");
  for (const auto& [type, peak] : machine_.device.peak_tflops) {
    figure(type, "device.peak_tflops." + type,
           quoted(format_quantity(peak, Quantity::compute_rate)));
  }
}

void Writer::link() {
  section("link");
  if (!machine_.link.topology.empty()) line("topology", quoted(machine_.link.topology));
  figures(kLinkFigures, machine_.link);
}

void Writer::model() {
  if (machine_.model == ModelFacts{}) return;
  section("model");
  figures(kModelFigures, machine_.model);
  if (machine_.model.power != PowerFacts{}) {
    section("model.power");
    figures(kPowerFigures, machine_.model.power);
  }
  for (const auto& [kind, collectives] : machine_.model.beside) {
    for (const auto& [name, facts] : collectives) {
      const std::string path = fmt::format("model.beside.{}.{}", kind, name);
      section(path);
      figures(kBesideFigures, facts, path + ".");
    }
  }
  if (!machine_.model.slowdown.empty()) section("model.slowdown");
  for (const auto& [name, table] : machine_.model.slowdown) slowdown(name, table);
  for (const auto& known : machine_.model.gemms) gemm(known);
}

void Writer::slowdown(const std::string& name, const SlowdownTable& table) {
  figure(name, "model.slowdown." + name, points(table));
}

void Writer::gemm(const KnownGemm& known) {
  const std::string field = source_field(known.gemm);
  if (!(known.time_ns > 0)) {
    throw InputError(fmt::format("machine \"{}\": {}.time is {} ns; expected more than zero",
                                 machine_.name, field, known.time_ns));
  }
  section("[model.gemm]");
  line("shape", quoted(to_string(known.gemm.shape)));
  line("type", quoted(name_of(known.gemm.type)));
  line("time", quoted(format_quantity(known.time_ns, Quantity::duration)));
  if (!known.slowdown.empty()) line("slowdown", points(known.slowdown));
  if (!known.slowdown_beside.empty()) line("slowdown_beside", points(known.slowdown_beside));
  if (!known.beside.empty()) line("beside", inline_table(known.beside));
  line("source", quoted(source_of(field)));
}

void Writer::collective(const std::string& name, const CollectiveFacts& facts) {
  const std::string path = "baseline." + name + ".";
  if (!(facts.cost.ns_per_byte > 0)) {
    throw InputError(fmt::format("machine \"{}\": {}{} is {}; expected more than zero",
                                 machine_.name, path, kBandwidthField, facts.cost.ns_per_byte));
  }
  section("baseline." + key_text(name));
  figure("latency", path + std::string(kLatencyField),
         quoted(format_quantity(facts.cost.fixed_ns, Quantity::duration)));
  figure("bandwidth", path + std::string(kBandwidthField),
         quoted(format_quantity(bandwidth_of(facts.cost.ns_per_byte), Quantity::bandwidth)));
  if (!facts.times.empty()) {
    figure("times", path + std::string(kTimesField), points(facts.times));
  }
  if (facts.compute_units == 0) return;
  figure("compute_units", path + std::string(kUnitsField), fmt::format("{}", facts.compute_units));
}

void Writer::notes() {
  if (machine_.notes.empty()) return;
  section("notes");
  for (const auto& [key, note] : machine_.notes) line(key, quoted(note));
}

std::string Writer::text() {
  line("name", quoted(machine_.name));
  line("backend", quoted(machine_.backend));
  figures(kMachineFigures, machine_);
  section("device");
  figures(kDeviceFigures, machine_.device);
  peaks();
  link();
  model();
  for (const auto& [name, facts] : machine_.baseline) collective(name, facts);
  notes();
  return std::move(text_);
}

}  // namespace

std::string to_toml(const Machine& machine) { return Writer(machine).text(); }

}  // namespace conccl
