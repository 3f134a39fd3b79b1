// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "core/machine_model_read.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace conccl {
namespace {

class ModelReader {
 public:
  ModelReader(FigureReader& file, const DeviceFacts& device) : file_(file), device_(device) {}

  ModelFacts model(const toml::table& table);

 private:
  void power(const toml::table& table);
  void besides(const toml::table& table);
  void slowdowns(const toml::table& table);
  SlowdownPoint slowdown_point(const toml::node& node, const std::string& path) const;
  SlowdownTable slowdown_table(const toml::node& node, const std::string& path) const;
  void gemms(const toml::node& node);
  KnownGemm gemm(const toml::table& table);
  BesideCollectives beside(const toml::table& table, const std::string& path) const;
  GemmSpec gemm_spec(const toml::table& table) const;
  void check(const toml::table& table) const;

  FigureReader& file_;
  const DeviceFacts& device_;
  ModelFacts model_;
};

ModelFacts ModelReader::model(const toml::table& table) {
  file_.check_keys(table, "model", keys_of(kModelFigures, {"power", "beside", "slowdown", "gemm"}));
  file_.figures(table, "model", kModelFigures, model_);
  if (const auto* const node = table.get("power")) power(file_.as_table(*node, "model.power"));
  if (const auto* const node = table.get("beside")) besides(file_.as_table(*node, "model.beside"));
  if (const auto* const node = table.get("slowdown")) {
    slowdowns(file_.as_table(*node, "model.slowdown"));
  }
  if (const auto* const node = table.get("gemm")) gemms(*node);
  check(table);
  return std::move(model_);
}

void ModelReader::power(const toml::table& table) {
  file_.check_keys(table, "model.power", keys_of(kPowerFigures, {}));
  file_.figures(table, "model.power", kPowerFigures, model_.power);
  const PowerFacts& read = model_.power;
  const bool any = read.throttled > 0 || read.throttled_from > 0 || read.throttled_to > 0;
  const bool ascends = read.throttled_from > 0 && read.throttled_from < read.throttled_to;
  if (any && (!(read.throttled > 0) || !ascends)) {
    file_.fail(table, fmt::format("model.power.throttled is {}, throttled_from {} and throttled_to "
                                  "{}; expected none of them, or all with from below to",
                                  read.throttled, read.throttled_from, read.throttled_to));
  }
  if (read.cap_w > 0 && read.idle_w >= read.cap_w) {
    file_.fail(table, fmt::format("model.power.idle is {} W; expected less than the cap of {} W",
                                  read.idle_w, read.cap_w));
  }
}

void ModelReader::besides(const toml::table& table) {
  file_.check_keys(table, "model.beside", kGemmKinds);
  for (const auto& [key, node] : table) {
    const std::string kind = join_path("model.beside", key.str());
    const toml::table& collectives = file_.as_table(node, kind);
    file_.check_keys(collectives, kind, kCollectives);
    for (const auto& [name, entry] : collectives) {
      const std::string path = join_path(kind, name.str());
      const toml::table& figures = file_.as_table(entry, path);
      file_.check_keys(figures, path, keys_of(kBesideFigures, {}));
      BesideCollectives& known = model_.beside[std::string(key.str())];
      file_.figures(figures, path, kBesideFigures, known[std::string(name.str())], path + ".");
    }
  }
}

void ModelReader::slowdowns(const toml::table& table) {
  file_.check_keys(table, "model.slowdown", kSlowdownTables);
  for (const auto& [key, node] : table) {
    const std::string path = join_path("model.slowdown", key.str());
    model_.slowdown[std::string(key.str())] = slowdown_table(file_.figure(node, path, path), path);
  }
}

SlowdownPoint ModelReader::slowdown_point(const toml::node& node, const std::string& path) const {
  const toml::array* const pair = node.as_array();
  if (pair == nullptr || pair->size() != 2) {
    file_.fail(node, fmt::format("{} has a point that is not [units, factor]; expected two numbers",
                                 path));
  }
  const SlowdownPoint point{file_.count((*pair)[0], path), file_.number((*pair)[1], path)};
  if (!(point.factor > 0) || std::isinf(point.factor)) {
    file_.fail(node,
               fmt::format("{} has the factor {}; expected a number over 0", path, point.factor));
  }
  const int units = device_.compute_units;
  if (units > 0 && point.units > units) {
    file_.fail(node, fmt::format("{} has {} units; expected at most the device's {}", path,
                                 point.units, units));
  }
  return point;
}

SlowdownTable ModelReader::slowdown_table(const toml::node& node, const std::string& path) const {
  const toml::array* const list = node.as_array();
  if (list == nullptr || list->empty()) {
    file_.fail(node,
               fmt::format("{} is not a list of points; expected [[units, factor], ...]", path));
  }
  SlowdownTable table;
  for (const toml::node& entry : *list) {
    const SlowdownPoint point = slowdown_point(entry, path);
    if (!table.empty() && table.back().units >= point.units) {
      file_.fail(entry, fmt::format("{} has {} units behind {}; expected ascending units", path,
                                    point.units, table.back().units));
    }
    table.push_back(point);
  }
  return table;
}

void ModelReader::gemms(const toml::node& node) {
  const toml::array* const list = node.as_array();
  if (list == nullptr) file_.fail(node, "model.gemm is not a list; expected [[model.gemm]] tables");
  for (const toml::node& entry : *list) {
    model_.gemms.push_back(gemm(file_.as_table(entry, "model.gemm")));
  }
}

GemmSpec ModelReader::gemm_spec(const toml::table& table) const {
  const std::string path = "model.gemm";
  const auto shape = [](const std::string& written) { return parse_gemm_shape(written); };
  const auto type = [](const std::string& written) { return parse_gemm_type(written); };
  return {file_.parsed(file_.required(table, "shape", path), join_path(path, "shape"), shape),
          file_.parsed(file_.required(table, "type", path), join_path(path, "type"), type)};
}

/// One GEMM's: plain numbers, with the GEMM's source.
BesideCollectives ModelReader::beside(const toml::table& table, const std::string& path) const {
  file_.check_keys(table, path, kCollectives);
  BesideCollectives beside;
  for (const auto& [name, entry] : table) {
    const std::string of = join_path(path, name.str());
    const toml::table& factors = file_.as_table(entry, of);
    file_.check_keys(factors, of, keys_of(kBesideFigures, {}));
    BesideFacts& facts = beside[std::string(name.str())];
    for (const auto& figure : kBesideFigures) {
      const auto* const node = factors.get(figure.key);
      if (node == nullptr) continue;
      facts.*std::get<double BesideFacts::*>(figure.member) =
          file_.factor(*node, join_path(of, figure.key));
    }
  }
  return beside;
}

KnownGemm ModelReader::gemm(const toml::table& table) {
  static constexpr std::array<std::string_view, 7> kKeys{
      "shape", "type", "time", "slowdown", "slowdown_beside", "beside", "source"};
  file_.check_keys(table, "model.gemm", kKeys);
  KnownGemm known;
  known.gemm = gemm_spec(table);
  const std::string path = source_field(known.gemm);
  if (file_.sources().contains(path)) {
    file_.fail(table, fmt::format("{} is there already; expected one of each", path));
  }
  known.time_ns = file_.positive(file_.required(table, "time", path), join_path(path, "time"),
                                 Quantity::duration);
  const auto tabled = [&](const char* key, SlowdownTable& slowdown) {
    if (const auto* const node = table.get(key)) {
      slowdown = slowdown_table(*node, join_path(path, key));
    }
  };
  tabled("slowdown", known.slowdown);
  tabled("slowdown_beside", known.slowdown_beside);
  if (const auto* const node = table.get("beside")) {
    const std::string of = join_path(path, "beside");
    known.beside = beside(file_.as_table(*node, of), of);
  }
  file_.cite(table, path, path);
  return known;
}

/// What one figure alone cannot show.
void ModelReader::check(const toml::table& table) const {
  const ModelFacts& read = model_;
  const double gemm = device_.gemm_efficiency;
  const bool one_efficiency = read.gemm_serial == 0;
  if (one_efficiency && read.memory_efficiency > 0 && read.memory_efficiency < gemm) {
    file_.fail(
        *table.get("memory_efficiency"),
        fmt::format("model.memory_efficiency is {}; expected at least device.gemm_efficiency, {}",
                    read.memory_efficiency, gemm));
  }
  if (read.fitted_to > 0 && read.fitted_from > read.fitted_to) {
    file_.fail(*table.get("fitted_to"),
               "model.fitted_to is below model.fitted_from; expected more");
  }
}

}  // namespace

ModelFacts read_model(FigureReader& reader, const toml::table& table, const DeviceFacts& device) {
  return ModelReader(reader, device).model(table);
}

}  // namespace conccl
