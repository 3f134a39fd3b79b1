// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "conccl/core/errors.hpp"
#include "core/machine_fields.hpp"

namespace conccl {
namespace {

using Names = std::span<const std::string_view>;

std::string join(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

/// What errors call the table at `path`.
std::string title(std::string_view path) {
  return path.empty() ? "the machine" : std::string(path);
}

template <typename Figures>
std::vector<std::string_view> keys_of(const Figures& figures,
                                      std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> keys(others);
  for (const auto& figure : figures) keys.push_back(figure.key);
  return keys;
}

/// Reads one file. Paths are dotted names in the file, for the messages.
class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  Machine machine(const toml::table& root);

 private:
  [[noreturn]] void fail(const toml::source_position& where, const std::string& message) const {
    throw InputError({file_, static_cast<int>(where.line), static_cast<int>(where.column)},
                     message);
  }
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    fail(node.source().begin, message);
  }

  void check_keys(const toml::table& table, const std::string& path, Names known) const;
  const toml::node& required(const toml::table& table, std::string_view key,
                             const std::string& path) const;
  const toml::table& as_table(const toml::node& node, const std::string& path) const;
  std::string text(const toml::node& node, const std::string& path) const;
  std::string one_of(const toml::node& node, const std::string& path, Names allowed) const;
  int count(const toml::node& node, const std::string& path) const;
  Bytes bytes(const toml::node& node, const std::string& path) const;
  double quantity(const toml::node& node, const std::string& path, Quantity kind) const;
  double positive(const toml::node& node, const std::string& path, Quantity kind) const;
  double share(const toml::node& node, const std::string& path) const;

  /// The value of `{ value = ..., source = "..." }`; keeps the source under `field`.
  const toml::node& figure(const toml::node& node, const std::string& path,
                           const std::string& field);
  template <typename Facts, typename Figures>
  void figures(const toml::table& table, const std::string& path, const Figures& list,
               Facts& facts);

  void device(const toml::table& table);
  void peaks(const toml::table& table);
  void link(const toml::table& table);
  void baseline(const toml::table& table);
  CollectiveFacts collective(const toml::table& table, const std::string& path);
  void notes(const toml::table& table);

  std::string file_;
  Machine machine_;
};

void Reader::check_keys(const toml::table& table, const std::string& path, Names known) const {
  for (const auto& [key, node] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    fail(key.source().begin, fmt::format("{} has no field \"{}\"; expected one of {}", title(path),
                                         key.str(), fmt::join(known, ", ")));
  }
}

const toml::node& Reader::required(const toml::table& table, std::string_view key,
                                   const std::string& path) const {
  const toml::node* const node = table.get(key);
  if (node == nullptr) {
    fail(table, fmt::format("{} has no \"{}\"; expected one", title(path), key));
  }
  return *node;
}

const toml::table& Reader::as_table(const toml::node& node, const std::string& path) const {
  if (const toml::table* const table = node.as_table()) return *table;
  fail(node, fmt::format("{} is not a table; expected one", path));
}

std::string Reader::text(const toml::node& node, const std::string& path) const {
  const auto* const string = node.as_string();
  if (string == nullptr) fail(node, fmt::format("{} is not a string; expected one", path));
  if (string->get().empty()) fail(node, fmt::format("{} is empty; expected some text", path));
  return string->get();
}

std::string Reader::one_of(const toml::node& node, const std::string& path, Names allowed) const {
  std::string value = text(node, path);
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    fail(node,
         fmt::format("{} is \"{}\"; expected one of {}", path, value, fmt::join(allowed, ", ")));
  }
  return value;
}

int Reader::count(const toml::node& node, const std::string& path) const {
  constexpr int kLargest = std::numeric_limits<int>::max();
  const auto* const integer = node.as_integer();
  if (integer == nullptr) {
    fail(node, fmt::format("{} is not a whole number; expected one of at least 1", path));
  }
  const std::int64_t value = integer->get();
  if (value < 1 || value > kLargest) {
    fail(node, fmt::format("{} is {}; expected between 1 and {}", path, value, kLargest));
  }
  return static_cast<int>(value);
}

double Reader::share(const toml::node& node, const std::string& path) const {
  if (!node.is_number()) {
    fail(node, fmt::format("{} is not a number; expected one over 0, at most 1", path));
  }
  const double value = *node.value<double>();
  if (!(value > 0 && value <= 1)) {
    fail(node, fmt::format("{} is {}; expected over 0, at most 1", path, value));
  }
  return value;
}

Bytes Reader::bytes(const toml::node& node, const std::string& path) const {
  const std::string written = text(node, path);
  Bytes value = 0;
  try {
    value = parse_bytes(written);
  } catch (const InputError& error) {
    fail(node, fmt::format("{}: {}", path, error.what()));
  }
  if (value == 0) fail(node, fmt::format("{} is zero; expected at least 1 byte", path));
  return value;
}

double Reader::quantity(const toml::node& node, const std::string& path, Quantity kind) const {
  const std::string written = text(node, path);
  try {
    return parse_quantity(written, kind);
  } catch (const InputError& error) {
    fail(node, fmt::format("{}: {}", path, error.what()));
  }
}

double Reader::positive(const toml::node& node, const std::string& path, Quantity kind) const {
  const double value = quantity(node, path, kind);
  if (!(value > 0)) fail(node, fmt::format("{} is zero; expected more", path));
  return value;
}

const toml::node& Reader::figure(const toml::node& node, const std::string& path,
                                 const std::string& field) {
  static constexpr std::array<std::string_view, 2> kKeys{"value", "source"};
  const toml::table* const table = node.as_table();
  if (table == nullptr) {
    fail(node, fmt::format("{} has no source; expected {{ value = ..., source = \"...\" }}", path));
  }
  check_keys(*table, path, kKeys);
  machine_.sources[field] = text(required(*table, "source", path), join(path, "source"));
  return required(*table, "value", path);
}

template <typename Facts, typename Figures>
void Reader::figures(const toml::table& table, const std::string& path, const Figures& list,
                     Facts& facts) {
  for (const auto& entry : list) {
    const toml::node* const node = table.get(entry.key);
    if (node == nullptr) continue;
    const std::string name = join(path, entry.key);
    const toml::node& value = figure(*node, name, std::string(entry.field));
    if (const auto* const whole = std::get_if<int Facts::*>(&entry.member)) {
      facts.** whole = count(value, name);
    } else if (const auto* const size = std::get_if<Bytes Facts::*>(&entry.member)) {
      facts.** size = bytes(value, name);
    } else {
      facts.*std::get<double Facts::*>(entry.member) =
          entry.quantity ? positive(value, name, *entry.quantity) : share(value, name);
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
    const std::string path = join("device.peak", type);
    const toml::node& value = figure(node, path, join("device.peak_tflops", type));
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

void Reader::baseline(const toml::table& table) {
  for (const auto& [key, node] : table) {
    const std::string path = join("baseline", key.str());
    machine_.baseline[std::string(key.str())] = collective(as_table(node, path), path);
  }
}

CollectiveFacts Reader::collective(const toml::table& table, const std::string& path) {
  static constexpr std::array<std::string_view, 3> kKeys{"latency", "bandwidth", "compute_units"};
  check_keys(table, path, kKeys);
  const auto value = [&](std::string_view key, std::string_view field) -> const toml::node& {
    return figure(required(table, key, path), join(path, key), join(path, field));
  };
  CollectiveFacts facts;
  facts.cost.fixed_ns =
      quantity(value("latency", kLatencyField), join(path, "latency"), Quantity::duration);
  // 1 GB/s is one byte per nanosecond.
  facts.cost.ns_per_byte = 1 / positive(value("bandwidth", kBandwidthField),
                                        join(path, "bandwidth"), Quantity::bandwidth);
  if (table.contains("compute_units")) {
    facts.compute_units = count(value("compute_units", kUnitsField), join(path, "compute_units"));
  }
  return facts;
}

void Reader::notes(const toml::table& table) {
  for (const auto& [key, node] : table) {
    machine_.notes[std::string(key.str())] = text(node, join("notes", key.str()));
  }
}

Machine Reader::machine(const toml::table& root) {
  check_keys(root, "",
             keys_of(kMachineFigures, {"name", "backend", "device", "link", "baseline", "notes"}));
  machine_.name = text(required(root, "name", ""), "name");
  machine_.backend = one_of(required(root, "backend", ""), "backend", kBackends);
  (void)required(root, "devices", "");
  figures(root, "", kMachineFigures, machine_);
  const auto section = [&](const char* key, void (Reader::*read)(const toml::table&)) {
    if (const auto* const node = root.get(key)) (this->*read)(as_table(*node, key));
  };
  section("device", &Reader::device);
  section("link", &Reader::link);
  section("baseline", &Reader::baseline);
  section("notes", &Reader::notes);
  return std::move(machine_);
}

toml::table parse(std::string_view text, std::string_view name) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const auto where = error.source().begin;
    throw InputError(
        {std::string(name), static_cast<int>(where.line), static_cast<int>(where.column)},
        fmt::format("{}; expected TOML", error.description()));
  }
}

}  // namespace

Machine parse_machine(std::string_view toml, std::string_view name) {
  return Reader(name).machine(parse(toml, name));
}

Machine load_machine(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  // Reading a directory opens but does not read; reading an empty file sets failbit alone.
  if (file) content << file.rdbuf();
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path)) {
    throw InputError(fmt::format("cannot read the machine file \"{}\": {}; expected a TOML file",
                                 path, std::strerror(errno)));
  }
  return parse_machine(content.str(), path);
}

}  // namespace conccl
