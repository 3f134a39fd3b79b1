// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/backend/hsa/conformance/support.hpp"

namespace conccl::backend::hsa {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// What the double is told to do wrong, a row, and what its line then says.
struct Fault {
  const char* told;
  const char* row;
  const char* text;
};

class HsaConformanceFault : public ::testing::TestWithParam<Fault> {};

TEST_P(HsaConformanceFault, MakesItsRowDiffer) {
  const auto [told, row, text] = GetParam();
  const auto outcome = run_double(told, {"--gpus", "2", "--deadline", "1", "--only", row});
  EXPECT_EQ(outcome.exit_code, 1) << told << "\n" << outcome.out << outcome.err;
  EXPECT_THAT(line_of(outcome, row), AllOf(HasSubstr("differs"), HasSubstr(text))) << told;
  EXPECT_EQ(lines_of(outcome.out).back(), "0 ok, 1 differ, 0 skipped, 0 unsafe and not run");
}

INSTANTIATE_TEST_SUITE_P(
    Rows, HsaConformanceFault,
    ::testing::Values(
        Fault{"fail_copy_at=1", "host-copies", "completion signal of 0, found -"},
        Fault{"lose_completion_at=1", "host-copies", "completion signal of 0, found 1 after 1 s"},
        Fault{"event_at=2", "host-copies", "found a memory fault at 0x"},
        Fault{"fail_submit_at=1", "host-copies",
              "from the host to GPU 0 on engine 0, found HSA_ST"},
        Fault{"refuse_allocation=1", "pointer-gpu", "hsa_amd_memory_pool_allocate on GPU 0"},
        Fault{"deny_access=1", "access-replaces", "of access for GPU 1, found HSA_STATUS_ERROR"},
        Fault{"hang_engine=5", "peer-engines",
              "copies on ids 2 to 15, found ids that did not copy: 5"},
        Fault{"hang_engine=2 ring=8", "many-copies",
              "expected a call to return, found none after 3 s"},
        Fault{"busy=1", "status-at-rest", "HSA_STATUS_ERROR_OUT_OF_RESOURCES"},
        Fault{"busy=1", "source-runs", "expected idle engine 2 of GPU 0, found idle: none"},
        Fault{"busy=1", "all-busy", "expected idle engines to begin with, found none"},
        Fault{"attach_fails=1", "ipc-attach", "in a second process: expected HSA_STATUS_SUCCESS"}));

/// Every row, and what the double has to be for it to be tried.
struct Promise {
  const char* row;
  const char* told = "";
};
constexpr Promise kPromises[] = {
    {"init-counted"},      {"signal-values"},       {"signal-timeout"},
    {"signal-conditions"}, {"signal-wake"},         {"pointer-gpu"},
    {"pointer-host"},      {"pointer-unknown"},     {"pointer-size"},
    {"pointer-locked"},    {"access-replaces"},     {"access-base"},
    {"access-flags"},      {"host-copies"},         {"push-bytes"},
    {"odd-sizes"},         {"pull-bytes"},          {"size-zero"},
    {"one-decrement"},     {"many-copies"},         {"copy-times"},
    {"dependency-list"},   {"dependency-zero"},     {"dependency-negative"},
    {"dependency-halves"}, {"five-dependencies"},   {"dependency-orders", "overlap=1"},
    {"engine-counts"},     {"one-engine"},          {"host-engines"},
    {"peer-engines"},      {"engines-independent"}, {"gfx90a-engine-0", "isa=gfx90a"},
    {"status-at-rest"},    {"status-equal"},        {"preferred-engine"},
    {"source-runs"},       {"pull-runs"},           {"reversed"},
    {"sdma-off"},          {"peer-sdma-off"},       {"all-busy"},
    {"same-gpu-forced"},   {"same-gpu-unforced"},   {"batch-signals"},
    {"batch-dependency"},  {"batch-version"},       {"ipc-whole"},
    {"ipc-attach"},        {"ipc-again"},           {"no-access"},
    {"six-dependencies"},  {"ipc-freed"},
};

class HsaConformancePromise : public ::testing::TestWithParam<Promise> {};

TEST_P(HsaConformancePromise, IsSeenToBeBroken) {
  const auto [row, told] = GetParam();
  const auto run_row = [&](const char* broken) {
    return run(CONCCL_CONTRARY_HSA,
               {"--gpus", "2", "--bytes", "64K", "--deadline", "1", "--unsafe", "--only", row},
               {{"CONCCL_FAKE_HSA", told}, {"CONCCL_CONTRARY", broken}});
  };
  const auto kept = run_row("");
  EXPECT_EQ(kept.exit_code, 0) << kept.out << kept.err;
  EXPECT_EQ(line_of(kept, row).substr(0, 2), "ok") << line_of(kept, row);
  const auto broken = run_row(row);
  EXPECT_EQ(broken.exit_code, 1) << broken.out << broken.err;
  EXPECT_EQ(line_of(broken, row).substr(0, 7), "differs") << line_of(broken, row);
}

INSTANTIATE_TEST_SUITE_P(Rows, HsaConformancePromise, ::testing::ValuesIn(kPromises));

TEST(HsaConformance, EveryRowIsTriedWithItsPromiseBroken) {
  std::vector<std::string> tried{"no-dependency"};  // it tells what happens and promises nothing
  for (const auto& promise : kPromises) tried.emplace_back(promise.row);
  EXPECT_THAT(listed_rows(), ::testing::UnorderedElementsAreArray(tried));
}

/// A folder shaped like the driver's, that recommends one engine from GPU 0 to GPU 1.
class DriverFacts {
 public:
  DriverFacts(int from, int to, unsigned engines) : root_(scratch("sys")) {
    const auto link = root_ + fmt::format("/class/kfd/kfd/topology/nodes/{}/io_links/4", from);
    std::filesystem::create_directories(link);
    std::ofstream(link + "/properties")
        << "type 11\nnode_from " << from << "\nnode_to " << to
        << "\nrecommended_transfer_size 0\nrecommended_sdma_engine_id_mask " << engines << "\n";
  }
  ~DriverFacts() { std::filesystem::remove_all(root_); }
  DriverFacts(const DriverFacts&) = delete;
  DriverFacts& operator=(const DriverFacts&) = delete;
  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  std::string root_;
};

int node_of(const Outcome& outcome, const char* gpu) {
  const auto line = line_of(outcome, gpu);
  return std::stoi(line.substr(line.rfind(' ')));
}

TEST(HsaConformance, TheDriversEngineIsReadAndComparedWithTheRuntimes) {
  const auto first = run(kDouble, {"--gpus", "2", "--only", "preferred-engine"});
  ASSERT_EQ(first.exit_code, 0) << first.out;
  const int from = node_of(first, "gpu 0");
  const int to = node_of(first, "gpu 1");
  {
    const DriverFacts same(from, to, 1U << 2U);
    const auto outcome =
        run(kDouble, {"--gpus", "2", "--only", "preferred-engine", "--sys", same.root()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
    EXPECT_EQ(line_of(outcome, "gpu 0 driver's engine to"), "1: 2");
  }
  const DriverFacts other(from, to, 1U << 6U);
  const auto outcome =
      run(kDouble, {"--gpus", "2", "--only", "preferred-engine", "--sys", other.root()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
  EXPECT_THAT(line_of(outcome, "preferred-engine"),
              HasSubstr("expected the driver's engine 6 from 0 to 1, found 2"));
}

}  // namespace
}  // namespace conccl::backend::hsa
