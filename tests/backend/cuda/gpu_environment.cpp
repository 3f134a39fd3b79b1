// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "conccl/backend/cuda.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

/// Ends the program: GoogleTest would call tests skipped that a failed environment leaves out.
[[noreturn]] void give_up(const char* reason) {
  std::fprintf(stderr, "a GPU is needed: %s\n", reason);
  std::exit(1);
}

/// Without a GPU nothing here can run: skipped, or a failure where CONCCL_NEED_GPU is set.
class GpuEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    try {
      (void)open_cuda();
    } catch (const Unavailable& error) {
      if (std::getenv("CONCCL_NEED_GPU") != nullptr) give_up(error.what());
      // GoogleTest calls tests that an environment skips passed; CTest looks for this.
      std::printf("[  SKIPPED ] every test: %s\n", error.what());
      GTEST_SKIP() << error.what();
    }
  }
};

[[maybe_unused]] const auto* const kEnvironment =
    testing::AddGlobalTestEnvironment(new GpuEnvironment);

}  // namespace
}  // namespace conccl::backend::cuda
