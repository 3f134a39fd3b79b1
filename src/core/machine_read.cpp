// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/machine_fields.hpp"
#include "core/toml_reader.hpp"

namespace conccl {
namespace {

template <typename Figures>
std::vector<std::string_view> keys_of(const Figures& figures,
                                      std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> keys(others);
  for (const auto& figure : figures) keys.push_back(figure.key);
  return keys;
}

class Reader : private TomlReader {
 public:
  explicit Reader(std::string_view file) : TomlReader(file, "machine") {}

  Machine machine(std::string_view content);

 private:
  double quantity(const toml::node& node, const std::string& path, Quantity kind) const;
  double positive(const toml::node& node, const std::string& path, Quantity kind) const;
  double time_per_byte(const toml::node& node, const std::string& path) const;
  double share(const toml::node& node, const std::string& path) const;
  double factor(const toml::node& node, const std::string& path) const;
  template <typename Scale>
  double scaled(const toml::node& node, const std::string& path, const Scale& scale) const;

  /// The value of `{ value = ..., source = "..." }`; keeps the source under `field`.
  const toml::node& figure(const toml::node& node, const std::string& path,
                           const std::string& field);
  template <typename Facts, typename Figures>
  void figures(const toml::table& table, const std::string& path, const Figures& list,
               Facts& facts);

  void device(const toml::table& table);
  void peaks(const toml::table& table);
  void link(const toml::table& table);
  void model(const toml::table& table);
  void power(const toml::table& table);
  void slowdown(const toml::table& table);
  SlowdownPoint slowdown_point(const toml::node& node, const std::string& path) const;
  SlowdownTable slowdown_table(const toml::node& node, const std::string& path) const;
  void check_model(const toml::table& table) const;
  void baseline(const toml::table& table);
  CollectiveFacts collective(const toml::table& table, const std::string& path);
  void notes(const toml::table& table);

  Machine machine_;
};

double Reader::share(const toml::node& node, const std::string& path) const {
  const double value = number(node, path);
  if (!(value > 0 && value <= 1)) {
    fail(node, fmt::format("{} is {}; expected over 0, at most 1", path, value));
  }
  return value;
}

double Reader::factor(const toml::node& node, const std::string& path) const {
  const double value = number(node, path);
  if (!(value >= 1) || std::isinf(value)) {
    fail(node, fmt::format("{} is {}; expected a number of at least 1", path, value));
  }
  return value;
}

template <typename Scale>
double Reader::scaled(const toml::node& node, const std::string& path, const Scale& scale) const {
  if (const auto* const kind = std::get_if<Quantity>(&scale)) return positive(node, path, *kind);
  return std::holds_alternative<Factor>(scale) ? factor(node, path) : share(node, path);
}

double Reader::quantity(const toml::node& node, const std::string& path, Quantity kind) const {
  return parsed(node, path,
                [&](const std::string& written) { return parse_quantity(written, kind); });
}

double Reader::positive(const toml::node& node, const std::string& path, Quantity kind) const {
  const double value = quantity(node, path, kind);
  if (!(value > 0)) fail(node, fmt::format("{} is zero; expected more", path));
  return value;
}

/// Of a bandwidth; 1 GB/s is one byte per nanosecond.
double Reader::time_per_byte(const toml::node& node, const std::string& path) const {
  const double gbps = positive(node, path, Quantity::bandwidth);
  const double ns = 1 / gbps;
  // Beyond that it could not be written as a bandwidth again.
  if (!std::isnormal(ns)) fail(node, fmt::format("{} is {} GB/s; expected a real one", path, gbps));
  return ns;
}

const toml::node& Reader::figure(const toml::node& node, const std::string& path,
                                 const std::string& field) {
  static constexpr std::array<std::string_view, 2> kKeys{"value", "source"};
  const toml::table* const table = node.as_table();
  if (table == nullptr) {
    fail(node, fmt::format("{} has no source; expected {{ value = ..., source = \"...\" }}", path));
  }
  check_keys(*table, path, kKeys);
  machine_.sources[field] = text(required(*table, "source", path), join_path(path, "source"));
  return required(*table, "value", path);
}

template <typename Facts, typename Figures>
void Reader::figures(const toml::table& table, const std::string& path, const Figures& list,
                     Facts& facts) {
  for (const auto& entry : list) {
    const toml::node* const node = table.get(entry.key);
    if (node == nullptr) continue;
    const std::string name = join_path(path, entry.key);
    const toml::node& value = figure(*node, name, std::string(entry.field));
    if (const auto* const whole = std::get_if<int Facts::*>(&entry.member)) {
      facts.** whole = count(value, name);
    } else if (const auto* const size = std::get_if<Bytes Facts::*>(&entry.member)) {
      facts.** size = bytes(value, name);
    } else {
      facts.*std::get<double Facts::*>(entry.member) = scaled(value, name, entry.scale);
    }
  }
}

void Reader::device(const toml::table& table) {
  check_keys(table, "device", keys_of(kDeviceFigures, {"peak"}));
  figures(table, "device", kDeviceFigures, machine_.device);
  if (const auto* const peak = table.get("peak")) peaks(as_table(*peak, "device.peak"));
}

void Reader::peaks(const toml::table& table) {
  check_keys(table, "device.peak", kPeakTypes);
  for (const auto& [key, node] : table) {
    const std::string type(key.str());
    const std::string path = join_path("device.peak", type);
    const toml::node& value = figure(node, path, join_path("device.peak_tflops", type));
    machine_.device.peak_tflops[type] = positive(value, path, Quantity::compute_rate);
  }
}

void Reader::link(const toml::table& table) {
  check_keys(table, "link", keys_of(kLinkFigures, {"topology"}));
  figures(table, "link", kLinkFigures, machine_.link);
  if (const auto* const topology = table.get("topology")) {
    machine_.link.topology = one_of(*topology, "link.topology", kTopologies);
  }
}

void Reader::model(const toml::table& table) {
  check_keys(table, "model", keys_of(kModelFigures, {"power", "slowdown"}));
  figures(table, "model", kModelFigures, machine_.model);
  if (const auto* const node = table.get("power")) power(as_table(*node, "model.power"));
  if (const auto* const node = table.get("slowdown")) slowdown(as_table(*node, "model.slowdown"));
  check_model(table);
}

void Reader::power(const toml::table& table) {
  check_keys(table, "model.power", keys_of(kPowerFigures, {}));
  figures(table, "model.power", kPowerFigures, machine_.model.power);
  const PowerFacts& read = machine_.model.power;
  if (read.cap_w > 0 && read.idle_w >= read.cap_w) {
    fail(table, fmt::format("model.power.idle is {} W; expected less than the cap of {} W",
                            read.idle_w, read.cap_w));
  }
}

void Reader::slowdown(const toml::table& table) {
  check_keys(table, "model.slowdown", kSlowdownTables);
  for (const auto& [key, node] : table) {
    const std::string path = join_path("model.slowdown", key.str());
    machine_.model.slowdown[std::string(key.str())] =
        slowdown_table(figure(node, path, path), path);
  }
}

SlowdownPoint Reader::slowdown_point(const toml::node& node, const std::string& path) const {
  const toml::array* const pair = node.as_array();
  if (pair == nullptr || pair->size() != 2) {
    fail(node,
         fmt::format("{} has a point that is not [units, factor]; expected two numbers", path));
  }
  const SlowdownPoint point{count((*pair)[0], path), number((*pair)[1], path)};
  if (!(point.factor > 0) || std::isinf(point.factor)) {
    fail(node, fmt::format("{} has the factor {}; expected a number over 0", path, point.factor));
  }
  const int units = machine_.device.compute_units;
  if (units > 0 && point.units > units) {
    fail(node, fmt::format("{} has {} units; expected at most the device's {}", path, point.units,
                           units));
  }
  return point;
}

SlowdownTable Reader::slowdown_table(const toml::node& node, const std::string& path) const {
  const toml::array* const list = node.as_array();
  if (list == nullptr || list->empty()) {
    fail(node, fmt::format("{} is not a list of points; expected [[units, factor], ...]", path));
  }
  SlowdownTable table;
  for (const toml::node& entry : *list) {
    const SlowdownPoint point = slowdown_point(entry, path);
    if (!table.empty() && table.back().units >= point.units) {
      fail(entry, fmt::format("{} has {} units behind {}; expected ascending units", path,
                              point.units, table.back().units));
    }
    table.push_back(point);
  }
  return table;
}

/// What one figure alone cannot show.
void Reader::check_model(const toml::table& table) const {
  const ModelFacts& read = machine_.model;
  const double gemm = machine_.device.gemm_efficiency;
  if (read.memory_efficiency > 0 && read.memory_efficiency < gemm) {
    fail(*table.get("memory_efficiency"),
         fmt::format("model.memory_efficiency is {}; expected at least device.gemm_efficiency, {}",
                     read.memory_efficiency, gemm));
  }
  if (read.fitted_to > 0 && read.fitted_from > read.fitted_to) {
    fail(*table.get("fitted_to"), "model.fitted_to is below model.fitted_from; expected more");
  }
}

void Reader::baseline(const toml::table& table) {
  for (const auto& [key, node] : table) {
    const std::string path = join_path("baseline", key.str());
    machine_.baseline[std::string(key.str())] = collective(as_table(node, path), path);
  }
}

CollectiveFacts Reader::collective(const toml::table& table, const std::string& path) {
  static constexpr std::array<std::string_view, 3> kKeys{"latency", "bandwidth", "compute_units"};
  check_keys(table, path, kKeys);
  const auto value = [&](std::string_view key, std::string_view field) -> const toml::node& {
    return figure(required(table, key, path), join_path(path, key), join_path(path, field));
  };
  CollectiveFacts facts;
  facts.cost.fixed_ns =
      quantity(value("latency", kLatencyField), join_path(path, "latency"), Quantity::duration);
  facts.cost.ns_per_byte =
      time_per_byte(value("bandwidth", kBandwidthField), join_path(path, "bandwidth"));
  if (table.contains("compute_units")) {
    facts.compute_units =
        count(value("compute_units", kUnitsField), join_path(path, "compute_units"));
  }
  return facts;
}

void Reader::notes(const toml::table& table) {
  for (const auto& [key, node] : table) {
    machine_.notes[std::string(key.str())] = text(node, join_path("notes", key.str()));
  }
}

Machine Reader::machine(std::string_view content) {
  const toml::table root = parse(content);
  check_keys(root, "",
             keys_of(kMachineFigures,
                     {"name", "backend", "device", "link", "model", "baseline", "notes"}));
  machine_.name = text(required(root, "name", ""), "name");
  machine_.backend = one_of(required(root, "backend", ""), "backend", kBackends);
  (void)required(root, "devices", "");
  figures(root, "", kMachineFigures, machine_);
  const auto section = [&](const char* key, void (Reader::*read)(const toml::table&)) {
    if (const auto* const node = root.get(key)) (this->*read)(as_table(*node, key));
  };
  section("device", &Reader::device);
  section("link", &Reader::link);
  section("model", &Reader::model);
  section("baseline", &Reader::baseline);
  section("notes", &Reader::notes);
  return std::move(machine_);
}

}  // namespace

Machine parse_machine(std::string_view toml, std::string_view name) {
  return Reader(name).machine(toml);
}

Machine load_machine(const std::string& path) {
  return parse_machine(read_toml_file(path, "machine"), path);
}

}  // namespace conccl
