// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Which library is taken for NCCL, and what it is told by the environment.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "bench/peers/nccl_api.hpp"
#include "conccl/core/errors.hpp"
#include "tests/bench/peers/fake.hpp"

namespace conccl::bench {
namespace {

using test::error_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The environment as it was, afterwards.
class Variable {
 public:
  explicit Variable(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) before_ = value;
    unsetenv(name);
  }
  ~Variable() {
    if (before_) setenv(name_, before_->c_str(), 1);
    if (!before_) unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class FindNccl : public testing::Test {
 protected:
  Variable path_{"CONCCL_NCCL"};
  Variable multicast_{"NCCL_NVLS_ENABLE"};
  Variable other_{"NCCL_ALGO"};
  Variable debug_{"NCCL_DEBUG"};
};

TEST_F(FindNccl, OpensWhatTheVariableNamesWithMulticastOff) {
  setenv("CONCCL_NCCL", FAKE_NCCL, 1);
  const auto api = nccl::find_nccl();
  EXPECT_EQ(api->path, FAKE_NCCL);
  EXPECT_EQ(api->version(), "2.28.9");
  EXPECT_STREQ(std::getenv("NCCL_NVLS_ENABLE"), "0");
}

TEST_F(FindNccl, LeavesTheUsersOwnChoiceOfMulticast) {
  setenv("CONCCL_NCCL", FAKE_NCCL, 1);
  setenv("NCCL_NVLS_ENABLE", "1", 1);
  EXPECT_EQ(nccl::find_nccl()->code, 22809);
  EXPECT_STREQ(std::getenv("NCCL_NVLS_ENABLE"), "1");
}

TEST_F(FindNccl, TheFirstVersionWithCopyEnginesIsTaken) {
  EXPECT_EQ(nccl::open_nccl(FAKE_NCCL_FIRST)->version(), "2.28.3");
}

TEST_F(FindNccl, RefusesByName) {
  EXPECT_THAT(error_of<Unavailable>([] { (void)nccl::open_nccl("/no/libnccl.so.2"); }),
              HasSubstr("/no/libnccl.so.2"));
  EXPECT_THAT(error_of<Unavailable>([] { (void)nccl::open_nccl(FAKE_NCCL_OLD); }),
              AllOf(HasSubstr(FAKE_NCCL_OLD), HasSubstr("is NCCL 2.27.5, expected 2.28.3")));
  EXPECT_THAT(error_of<Unavailable>([] { (void)nccl::open_nccl(FAKE_NCCL_PARTIAL); }),
              HasSubstr("has no ncclAlltoAll"));
  setenv("CONCCL_NCCL", "/no/where.so", 1);
  EXPECT_THAT(error_of<Unavailable>([] { (void)nccl::find_nccl(); }), HasSubstr("/no/where.so"));
}

TEST_F(FindNccl, TellsWhatSteersIt) {
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  setenv("NCCL_ALGO", "Ring", 1);
  setenv("NCCL_DEBUG", "INFO", 1);
  EXPECT_THAT(nccl::environment(),
              AllOf(HasSubstr("NCCL_ALGO=Ring"), HasSubstr("NCCL_NVLS_ENABLE=0"),
                    Not(HasSubstr("NCCL_DEBUG"))));
}

}  // namespace
}  // namespace conccl::bench
