// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "core/figure_reader.hpp"
#include "core/machine_model_read.hpp"

namespace conccl {
namespace {

class Reader : private FigureReader {
 public:
  using FigureReader::FigureReader;

  Machine machine(std::string_view content);

 private:
  double time_per_byte(const toml::node& node, const std::string& path) const;

  void device(const toml::table& table);
  void peaks(const toml::table& table);
  void link(const toml::table& table);
  void model(const toml::table& table);
  void baseline(const toml::table& table);
  CollectiveFacts collective(const toml::table& table, const std::string& path);
  std::vector<CollectiveTime> times(const toml::node& node, const std::string& path) const;
  void notes(const toml::table& table);

  Machine machine_;
};

/// Of a bandwidth; 1 GB/s is one byte per nanosecond.
double Reader::time_per_byte(const toml::node& node, const std::string& path) const {
  const double gbps = positive(node, path, Quantity::bandwidth);
  const double ns = 1 / gbps;
  // Beyond that it could not be written as a bandwidth again.
  if (!std::isnormal(ns)) fail(node, fmt::format("{} is {} GB/s; expected a real one", path, gbps));
  return ns;
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
  machine_.model = read_model(*this, table, machine_.device);
}

void Reader::baseline(const toml::table& table) {
  for (const auto& [key, node] : table) {
    const std::string path = join_path("baseline", key.str());
    machine_.baseline[std::string(key.str())] = collective(as_table(node, path), path);
  }
}

CollectiveFacts Reader::collective(const toml::table& table, const std::string& path) {
  static constexpr std::array<std::string_view, 4> kKeys{"latency", "bandwidth", "times",
                                                         "compute_units"};
  check_keys(table, path, kKeys);
  const auto value = [&](std::string_view key, std::string_view field) -> const toml::node& {
    return figure(required(table, key, path), join_path(path, key), join_path(path, field));
  };
  CollectiveFacts facts;
  facts.cost.fixed_ns =
      quantity(value("latency", kLatencyField), join_path(path, "latency"), Quantity::duration);
  facts.cost.ns_per_byte =
      time_per_byte(value("bandwidth", kBandwidthField), join_path(path, "bandwidth"));
  if (table.contains("times")) {
    facts.times = times(value("times", kTimesField), join_path(path, "times"));
  }
  if (table.contains("compute_units")) {
    facts.compute_units =
        count(value("compute_units", kUnitsField), join_path(path, "compute_units"));
  }
  return facts;
}

std::vector<CollectiveTime> Reader::times(const toml::node& node, const std::string& path) const {
  const toml::array* const list = node.as_array();
  if (list == nullptr || list->empty()) {
    fail(node, fmt::format("{} is not a list of points; expected [[bytes, time], ...]", path));
  }
  std::vector<CollectiveTime> found;
  for (const toml::node& entry : *list) {
    const toml::array* const pair = entry.as_array();
    if (pair == nullptr || pair->size() != 2) {
      fail(entry, fmt::format("{} has a point that is not [bytes, time]; expected both", path));
    }
    const CollectiveTime point{bytes((*pair)[0], path),
                               positive((*pair)[1], path, Quantity::duration)};
    if (!found.empty() && (found.back().bytes >= point.bytes || found.back().ns > point.ns)) {
      fail(entry, fmt::format("{} has points that do not ascend; expected more bytes than the one "
                              "before, and no less time",
                              path));
    }
    found.push_back(point);
  }
  return found;
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
  machine_.sources = sources();
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
