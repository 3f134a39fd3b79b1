// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/library.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// CONCCL_HSA for a test's life; null: unset.
class Named {
 public:
  explicit Named(const char* path) {
    if (const char* const before = std::getenv("CONCCL_HSA")) before_ = before;
    set(path);
  }
  ~Named() { set(before_.empty() ? nullptr : before_.c_str()); }
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;

 private:
  static void set(const char* path) {
    if (path == nullptr) {
      ::unsetenv("CONCCL_HSA");
    } else {
      ::setenv("CONCCL_HSA", path, 1);
    }
  }
  std::string before_;
};

template <typename Act>
std::string refusal(const Act& act) {
  try {
    act();
  } catch (const Unavailable& error) {
    return error.what();
  }
  return "no error";
}

/// Debian 12's runtime, of ROCm 5.2.3, on a machine without an AMD GPU.
class DebianLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access("/dev/kfd", F_OK) == 0) GTEST_SKIP() << "this machine has /dev/kfd";
    if (::dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL) == nullptr) {
      GTEST_SKIP() << "libhsa-runtime64.so.1 is not here (Debian: libhsa-runtime64-1)";
    }
    library_ = open_library();
    if (!library_.lacks("hsa_amd_memory_async_copy_on_engine")) {
      GTEST_SKIP() << library_.path << " is newer than Debian 12's";
    }
  }

  Named unset_{nullptr};
  Library library_;
};

TEST_F(DebianLibrary, IsFoundAndLacksTheNewerCallsOnly) {
  EXPECT_THAT(library_.path, AllOf(StartsWith("/"), HasSubstr("libhsa-runtime64.so.1")));
  EXPECT_THAT(library_.missing, ::testing::ElementsAre("hsa_amd_memory_async_copy_on_engine",
                                                       "hsa_amd_memory_copy_engine_status",
                                                       "hsa_amd_memory_get_preferred_copy_engine",
                                                       "hsa_amd_memory_async_batch_copy"));
  EXPECT_EQ(why_no_kernels(library_), "");
}

TEST_F(DebianLibrary, IsTooOldAndTheErrorNamesTheCall) {
  EXPECT_THAT(refusal([this] { demand_calls(library_); }),
              AllOf(StartsWith(library_.path), HasSubstr("too old"),
                    HasSubstr("hsa_amd_memory_async_copy_on_engine"), HasSubstr("ROCm 5.6"),
                    Not(HasSubstr("\n"))));
}

TEST_F(DebianLibrary, FindsNoDeviceAndSaysSoTwice) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto status = library_.calls.hsa_init();
    EXPECT_EQ(status, abi::HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    EXPECT_EQ(text_of(library_.calls, status), "HSA_STATUS_ERROR_OUT_OF_RESOURCES (0x1008)");
  }
  EXPECT_EQ(library_.calls.hsa_shut_down(), abi::HSA_STATUS_ERROR_NOT_INITIALIZED);
  const auto stop = [](abi::hsa_agent_t, void*) { return abi::HSA_STATUS_INFO_BREAK; };
  EXPECT_EQ(library_.calls.hsa_iterate_agents(stop, nullptr),
            abi::HSA_STATUS_ERROR_NOT_INITIALIZED);
}

TEST_F(DebianLibrary, GivesTheTextOfAStatusThatIsNotKnownHere) {
  EXPECT_THAT(text_of(library_.calls, static_cast<abi::hsa_status_t>(0x100F)),
              AllOf(EndsWith("(0x100f)"), Not(HasSubstr("unknown status"))));
  EXPECT_EQ(text_of(library_.calls, static_cast<abi::hsa_status_t>(0x7777)),
            "unknown status (0x7777)");
}

TEST_F(DebianLibrary, FailuresSayWhatWasAsked) {
  try {
    check(library_.calls, library_.calls.hsa_init(), {"hsa_init", 3, 4096});
    FAIL() << "no error";
  } catch (const RunError& error) {
    EXPECT_STREQ(error.what(),
                 "hsa_init on GPU 3, 4096 bytes: HSA_STATUS_ERROR_OUT_OF_RESOURCES (0x1008)");
  }
}

TEST(HsaLibrary, APathThatDoesNotExistIsOneClearError) {
  const Named named("/no/such/libhsa.so");
  EXPECT_THAT(refusal([] { static_cast<void>(open_library()); }),
              AllOf(StartsWith("CONCCL_HSA: /no/such/libhsa.so: "), HasSubstr("No such file"),
                    Not(HasSubstr("\n"))));
}

TEST(HsaLibrary, AFileThatIsNoLibraryIsOneClearError) {
  const std::string path = ::testing::TempDir() + "conccl-no-library-" + std::to_string(::getpid());
  std::ofstream(path) << "This is text, and long enough to be read as the header of a library.\n";
  const Named named(path.c_str());
  const auto text = refusal([] { static_cast<void>(open_library()); });
  std::remove(path.c_str());
  EXPECT_THAT(text, AllOf(StartsWith("CONCCL_HSA: " + path), HasSubstr("invalid ELF header"),
                          Not(HasSubstr("not found"))));
}

TEST(HsaLibrary, ALibraryThatIsNoHsaRuntimeIsOneClearError) {
  const Named named("libm.so.6");
  const auto library = open_library();
  EXPECT_EQ(library.path, "libm.so.6");
  EXPECT_THAT(refusal([&library] { demand_calls(library); }),
              AllOf(StartsWith("libm.so.6: not an HSA runtime"), HasSubstr("hsa_init"),
                    Not(HasSubstr("too old")), Not(HasSubstr("\n"))));
  EXPECT_THAT(why_no_kernels(library), HasSubstr("hsa_queue_create"));
}

TEST(HsaLibrary, AnEmptyNameIsNoName) {
  const Named named("");
  const auto text = refusal([] { static_cast<void>(open_library()); });
  EXPECT_THAT(text, ::testing::AnyOf(std::string("no error"),
                                     std::string("libhsa-runtime64.so.1 not found")));
}

}  // namespace
}  // namespace conccl::backend::hsa
