// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "c3/suite_hash.hpp"
#include "conccl/c3/suite.hpp"
#include "core/toml_reader.hpp"

namespace conccl::c3 {
namespace {

constexpr std::array<std::string_view, 1> kSchemas{"conccl.suite/1"};
constexpr std::array<std::string_view, 4> kSuiteKeys{"schema", "name", "type", "scenario"};
constexpr std::array<std::string_view, 8> kScenarioKeys{
    "name", "gemm", "type", "collectives", "bytes", "bytes_per_rank", "ratio", "source"};
constexpr std::array<std::string_view, 3> kSizeKeys{"bytes", "bytes_per_rank", "ratio"};

bool is_word(std::string_view text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return text.find_first_not_of(kAllowed) == std::string_view::npos;
}

class SuiteReader : private TomlReader {
 public:
  explicit SuiteReader(std::string_view file) : TomlReader(file, "suite") {}

  Suite suite(std::string_view content);

 private:
  GemmType type(const toml::node& node, const std::string& path) const;
  std::string word(const toml::table& table, std::string_view key, const std::string& path) const;
  const toml::array& scenarios(const toml::table& root) const;
  void add(const toml::table& table, const std::string& path);
  std::string new_name(const toml::table& table, const std::string& path);
  std::string_view size_key(const toml::table& table, const std::string& path) const;
  void read_size(const toml::table& table, const std::string& path, Scenario& scenario) const;
  double ratio(const toml::node& node, const std::string& path) const;
  std::vector<plan::Collective> collectives(const toml::table& table,
                                            const std::string& path) const;

  std::set<std::string> names_;
  Suite suite_;
};

GemmType SuiteReader::type(const toml::node& node, const std::string& path) const {
  return parsed(node, path, [](const std::string& name) { return parse_gemm_type(name); });
}

/// Such names go into reports, file names and command lines as they are.
std::string SuiteReader::word(const toml::table& table, std::string_view key,
                              const std::string& path) const {
  const toml::node& node = required(table, key, path);
  const std::string where = join_path(path, key);
  std::string value = text(node, where);
  if (!is_word(value)) {
    fail(node, fmt::format("{} is \"{}\"; expected only letters, digits, '_', '.' and '-'", where,
                           value));
  }
  return value;
}

const toml::array& SuiteReader::scenarios(const toml::table& root) const {
  const toml::node& node = required(root, "scenario", "");
  const toml::array* const list = node.as_array();
  if (list == nullptr) fail(node, "scenario is not a list of tables; expected [[scenario]]");
  if (list->empty()) fail(node, "the suite has no scenarios; expected at least one [[scenario]]");
  return *list;
}

double SuiteReader::ratio(const toml::node& node, const std::string& path) const {
  const double value = number(node, path);
  if (!(value > 0) || std::isinf(value)) {
    fail(node, fmt::format("{} is {}; expected a number over 0", path, value));
  }
  return value;
}

/// Which of the fields that give the size is there.
std::string_view SuiteReader::size_key(const toml::table& table, const std::string& path) const {
  std::string_view found;
  for (const std::string_view key : kSizeKeys) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) continue;
    if (!found.empty()) {
      fail(*node,
           fmt::format("{} has both \"{}\" and \"{}\"; expected one of them", path, found, key));
    }
    found = key;
  }
  if (found.empty()) {
    fail(table,
         fmt::format("{} has none of {}; expected one of them", path, fmt::join(kSizeKeys, ", ")));
  }
  return found;
}

void SuiteReader::read_size(const toml::table& table, const std::string& path,
                            Scenario& scenario) const {
  const std::string_view key = size_key(table, path);
  const toml::node& node = *table.get(key);
  const std::string where = join_path(path, key);
  if (key == "ratio") {
    scenario.ratio = ratio(node, where);
  } else {
    (key == "bytes" ? scenario.bytes : scenario.bytes_per_rank) = bytes(node, where);
  }
}

std::vector<plan::Collective> SuiteReader::collectives(const toml::table& table,
                                                       const std::string& path) const {
  const toml::node& node = required(table, "collectives", path);
  const std::string where = join_path(path, "collectives");
  const toml::array* const list = node.as_array();
  if (list == nullptr || list->empty()) {
    fail(node, fmt::format("{} is not a list of at least one; expected one such as "
                           "[\"all_gather\"]",
                           where));
  }
  std::vector<plan::Collective> found;
  for (const toml::node& entry : *list) {
    const plan::Collective collective =
        parsed(entry, where, [](const std::string& name) { return plan::parse_collective(name); });
    if (std::find(found.begin(), found.end(), collective) != found.end()) {
      fail(entry,
           fmt::format("{} names {} twice; expected each once", where, plan::name_of(collective)));
    }
    found.push_back(collective);
  }
  return found;
}

std::string SuiteReader::new_name(const toml::table& table, const std::string& path) {
  std::string name = word(table, "name", path);
  if (!names_.insert(name).second) {
    fail(*table.get("name"),
         fmt::format("{}.name is \"{}\", which an earlier scenario has; expected another", path,
                     name));
  }
  return name;
}

void SuiteReader::add(const toml::table& table, const std::string& path) {
  check_keys(table, path, kScenarioKeys);
  Scenario scenario;
  scenario.name = new_name(table, path);
  scenario.gemm.type = suite_.type;
  if (const toml::node* const own = table.get("type")) {
    scenario.gemm.type = type(*own, join_path(path, "type"));
  }
  scenario.gemm.shape = parsed(required(table, "gemm", path), join_path(path, "gemm"),
                               [](const std::string& shape) { return parse_gemm_shape(shape); });
  scenario.source = text(required(table, "source", path), join_path(path, "source"));
  read_size(table, path, scenario);
  for (const plan::Collective collective : collectives(table, path)) {
    scenario.collective = collective;
    suite_.scenarios.push_back(scenario);
  }
}

Suite SuiteReader::suite(std::string_view content) {
  const toml::table root = parse(content);
  check_keys(root, "", kSuiteKeys);
  (void)one_of(required(root, "schema", ""), "schema", kSchemas);
  suite_.name = word(root, "name", "");
  suite_.type = type(required(root, "type", ""), "type");
  for (const toml::node& node : scenarios(root)) {
    add(as_table(node, "scenario"), "scenario");
  }
  suite_.hash = suite_hash(suite_);
  return std::move(suite_);
}

}  // namespace

Suite parse_suite(std::string_view toml, std::string_view name) {
  return SuiteReader(name).suite(toml);
}

}  // namespace conccl::c3
