// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/suite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "c3/known_files.hpp"
#include "c3/roofline_terms.hpp"
#include "conccl/c3/roofline.hpp"
#include "conccl/c3/taxonomy.hpp"
#include "tests/c3/support.hpp"
#include "tests/core/support.hpp"

namespace conccl::c3 {
namespace {

namespace fs = std::filesystem;
using plan::Collective;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;
using testing::UnorderedElementsAre;

const fs::path kRoot = CONCCL_SOURCE_DIR;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

std::set<std::string> stems_in(const fs::path& folder) {
  std::set<std::string> stems;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".toml") stems.insert(entry.path().stem());
  }
  return stems;
}

void expect_embedded(std::span<const KnownFile> files, const fs::path& folder) {
  std::set<std::string> names;
  for (const KnownFile& file : files) {
    names.emplace(file.name);
    EXPECT_EQ(file.text, content_of(folder / (std::string(file.name) + ".toml"))) << file.name;
  }
  EXPECT_EQ(names, stems_in(folder)) << "src/c3/CMakeLists.txt lists what is compiled in";
}

TEST(KnownFiles, AreTheFilesOfTheirFolders) {
  expect_embedded(known_suites(), kRoot / "suites");
  expect_embedded(known_machines(), kRoot / "machines");
}

TEST(KnownFiles, AllLoad) {
  for (const KnownFile& file : known_suites()) {
    EXPECT_EQ(load_suite(std::string(file.name)).name, file.name);
  }
  for (const KnownFile& file : known_machines()) {
    EXPECT_GT(load_known_machine(std::string(file.name)).devices, 0) << file.name;
  }
}

TEST(Llama, HasFifteenProductsWithBothCollectives) {
  std::map<std::string, std::set<Collective>> collectives;
  for (const Scenario& scenario : load_suite("llama").scenarios) {
    collectives[scenario.name].insert(scenario.collective);
  }
  EXPECT_EQ(collectives.size(), 15u);
  for (const auto& [name, found] : collectives) EXPECT_EQ(found.size(), 2u) << name;
}

TEST(Llama, IsFrozen) {
  // Published figures carry this hash. A changed suite needs another name.
  EXPECT_EQ(load_suite("llama").hash, "9befae62b47a813c");
}

/// What a LLaMA model's public configuration says.
struct Model {
  std::int64_t hidden;
  std::int64_t intermediate;
  std::int64_t key_value;  ///< heads times size of a head

  [[nodiscard]] std::int64_t qkv() const { return hidden + 2 * key_value; }
};

constexpr Model k70b{.hidden = 8192, .intermediate = 28672, .key_value = 8 * 128};
constexpr Model k405b{.hidden = 16384, .intermediate = 53248, .key_value = 8 * 128};

struct Layer {
  const char* name;
  GemmShape gemm;
  std::int64_t weights;  ///< elements gathered meanwhile
};

std::vector<Layer> layers() {
  constexpr std::int64_t kTokens = 8192;
  const Model& s = k70b;
  const Model& l = k405b;
  const auto attention = [](const Model& m) { return (m.qkv() + m.hidden) * m.hidden; };
  return {
      {"llama70b_qkv", {kTokens, s.qkv(), s.hidden}, 2 * s.intermediate * s.hidden},
      {"llama70b_gate_up", {kTokens, 2 * s.intermediate, s.hidden}, s.intermediate * s.hidden},
      {"llama70b_down", {kTokens, s.hidden, s.intermediate}, attention(s)},
      {"llama405b_qkv", {kTokens, l.qkv(), l.hidden}, 2 * l.intermediate * l.hidden},
      {"llama405b_gate_up", {kTokens, 2 * l.intermediate, l.hidden}, l.intermediate * l.hidden},
      {"llama405b_down", {kTokens, l.hidden, l.intermediate}, attention(l)},
      {"llama405b_out", {kTokens, l.hidden, l.hidden}, 2 * l.intermediate * l.hidden},
  };
}

TEST(Llama, ShapesAndBytesFollowFromTheModels) {
  const Suite suite = load_suite("llama");
  for (const Layer& layer : layers()) {
    int found = 0;
    for (const Scenario& scenario : suite.scenarios) {
      if (scenario.name != layer.name) continue;
      ++found;
      EXPECT_EQ(scenario.gemm, (GemmSpec{layer.gemm, GemmType::bf16})) << layer.name;
      EXPECT_EQ(scenario.bytes, static_cast<Bytes>(2 * layer.weights)) << layer.name;
    }
    EXPECT_EQ(found, 2) << layer.name;
  }
}

std::map<Balance, int> classes(const Machine& machine, Collective collective) {
  const Suite suite = load_suite("llama");
  std::map<Balance, int> counts;
  for (const Scenario& scenario : suite.scenarios) {
    if (scenario.collective != collective) continue;
    const Nanoseconds gemm = roofline_gemm(machine, scenario.gemm);
    const double comm = ratio_on(machine, scenario) * static_cast<double>(gemm.count());
    ++counts[balance_of(gemm, Nanoseconds(std::llround(comm)))];
  }
  return counts;
}

TEST(Llama, ClassesOnTheMI300X) {
  EXPECT_THAT(classes(load_known_machine("mi300x"), Collective::all_gather),
              UnorderedElementsAre(Pair(Balance::g_long, 8), Pair(Balance::c_long, 5),
                                   Pair(Balance::gc_equal, 2)));
}

TEST(Small, HasTwelveProductsWithBothCollectives) {
  std::map<std::string, std::set<Collective>> collectives;
  for (const Scenario& scenario : load_suite("small").scenarios) {
    collectives[scenario.name].insert(scenario.collective);
  }
  EXPECT_EQ(collectives.size(), 12u);
  for (const auto& [name, found] : collectives) EXPECT_EQ(found.size(), 2u) << name;
}

TEST(Small, IsFrozen) {
  // Published figures carry this hash. A changed suite needs another name.
  EXPECT_EQ(load_suite("small").hash, "2709457fb569f4f0");
}

TEST(Small, HasOneTo64MiBPerRankAsItsNamesSay) {
  std::set<Bytes> sizes;
  for (const Scenario& scenario : load_suite("small").scenarios) {
    ASSERT_TRUE(scenario.bytes_per_rank) << scenario.name;
    sizes.insert(*scenario.bytes_per_rank / kMiB);
    EXPECT_THAT(scenario.name, EndsWith("_" + std::to_string(*scenario.bytes_per_rank / kMiB)));
  }
  EXPECT_EQ(sizes, (std::set<Bytes>{1, 2, 4, 8, 16, 32, 48, 64}));
}

TEST(Small, ProductsAreShortAndMostlyBoundByMemory) {
  const Suite suite = load_suite("small");
  const Machine machine = load_known_machine("h200x8");
  int by_memory = 0;
  for (const Scenario& scenario : suite.scenarios) {
    EXPECT_LT(roofline_gemm(machine, scenario.gemm), std::chrono::milliseconds(1)) << scenario.name;
    const RooflineTerms terms = roofline_terms(machine, scenario.gemm);
    if (terms.memory_ns > terms.compute_ns) ++by_memory;
  }
  EXPECT_GE(by_memory, 16);
}

TEST(BytesAmong, AreThoseOfEachRankTogether) {
  Scenario scenario;
  EXPECT_EQ(bytes_among(scenario, 3), std::nullopt);
  scenario.bytes = 10;
  EXPECT_EQ(bytes_among(scenario, 3), 10u);
  scenario.bytes.reset();
  scenario.bytes_per_rank = 10;
  EXPECT_EQ(bytes_among(scenario, 3), 30u);
  scenario.bytes_per_rank = Bytes{1} << 62;
  EXPECT_THAT(input_error([&] { (void)bytes_among(scenario, 2); }), HasSubstr("too large"));
}

TEST(RatioOn, IsTheScenariosOwn) {
  Scenario scenario;
  scenario.gemm.type = GemmType::fp32;  // whose peak the machine lacks
  scenario.ratio = 0.75;
  EXPECT_EQ(ratio_on(round_machine(), scenario), 0.75);
}

TEST(RatioOn, FollowsFromBytesByHand) {
  Scenario scenario;
  scenario.gemm = {10'000, 10'000, 10'000};  // 40 ms
  scenario.bytes = 1'999'000'000;            // 10 us + 19.99 ms
  EXPECT_DOUBLE_EQ(ratio_on(round_machine(), scenario), 0.5);
  scenario.gemm.type = GemmType::fp8;
  EXPECT_DOUBLE_EQ(ratio_on(round_machine(), scenario), 1);
  scenario.gemm.type = GemmType::bf16;
  Machine machine = round_machine();
  machine.devices = 4;
  scenario.bytes.reset();
  scenario.bytes_per_rank = 499'750'000;
  EXPECT_DOUBLE_EQ(ratio_on(machine, scenario), 0.5);
}

/// A file that is gone at the end of its scope.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& content)
      : path_(fs::path(testing::TempDir()) / name) {
    std::ofstream(path_) << content;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] std::string path() const { return path_; }

 private:
  fs::path path_;
};

TEST(LoadSuite, ReadsAFile) {
  EXPECT_EQ(load_suite(kRoot / "suites" / "llama.toml").hash, load_suite("llama").hash);
}

TEST(LoadSuite, NamesTheFileInErrors) {
  const TemporaryFile file("conccl_bad_suite.toml", "schema = 1\n");
  EXPECT_THAT(input_error([&] { (void)load_suite(file.path()); }),
              AllOf(StartsWith(file.path() + ":1:10: "), HasSubstr("schema is not a string")));
}

TEST(LoadSuite, ListsTheKnownForAnyOtherName) {
  for (const char* name : {"lama", "", "/nonexistent/suite.toml"}) {
    EXPECT_THAT(input_error([&] { (void)load_suite(name); }),
                AllOf(StartsWith("suite \"" + std::string(name) + "\""),
                      HasSubstr("known suites: llama, profile, small")));
  }
}

TEST(LoadSuite, RefusesAFolder) {
  EXPECT_THAT(input_error([] { (void)load_suite(kRoot / "suites"); }),
              AllOf(HasSubstr("cannot read the suite file"), HasSubstr("directory")));
}

TEST(LoadKnownMachine, ReadsAFile) {
  EXPECT_EQ(to_toml(load_known_machine(kRoot / "machines" / "mi300x.toml")),
            to_toml(load_known_machine("mi300x")));
}

TEST(LoadKnownMachine, NamesTheFileInErrors) {
  const TemporaryFile file("conccl_bad_machine.toml", "name = 1\n");
  EXPECT_THAT(input_error([&] { (void)load_known_machine(file.path()); }),
              StartsWith(file.path() + ":1:"));
}

TEST(LoadKnownMachine, ListsTheKnownForAnyOtherName) {
  for (const char* name : {"mi300", "", "/nonexistent/machine.toml"}) {
    EXPECT_THAT(input_error([&] { (void)load_known_machine(name); }),
                AllOf(StartsWith("machine \"" + std::string(name) + "\""),
                      HasSubstr("known machines: h200x2, h200x8, mi300x")));
  }
}

}  // namespace
}  // namespace conccl::c3
