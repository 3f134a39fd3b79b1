// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/kernels.hpp"

#include <gmock/gmock.h>

#include "backend/hsa/kernel_images.hpp"
#include "conccl/core/errors.hpp"
#include "tests/backend/hsa/open_double.hpp"

namespace conccl::backend::hsa {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LoadKernels : public OpenDouble {
 protected:
  void SetUp() override {
    if (kernel_image("gfx942").empty()) GTEST_SKIP() << "this build has no kernels for gfx942";
    OpenDouble::SetUp();
  }

  /// Loads and returns why that is not possible.
  [[nodiscard]] std::string refusal(std::span<const unsigned char> image) {
    try {
      const Kernels kernels(calls(), gpu(), 3, image);
    } catch (const Unavailable& error) {
      return error.what();
    }
    return "none";
  }
};

TEST_F(LoadKernels, FindsEveryKernelOnce) {
  const Kernels kernels(calls(), gpu(), 0);
  std::set<std::uint64_t> objects;
  for (std::size_t i = 0; i < kKernelFacts.size(); ++i) {
    const LoadedKernel& kernel = kernels[static_cast<Kernel>(i)];
    EXPECT_NE(kernel.object, 0u) << kKernelFacts[i].name;
    EXPECT_GE(kernel.kernarg_bytes, kKernelFacts[i].args_bytes) << kKernelFacts[i].name;
    objects.insert(kernel.object);
  }
  EXPECT_EQ(objects.size(), kKernelFacts.size());
}

TEST_F(LoadKernels, ForAnotherKindOfGpuNamesItAndWhatThereIs) {
  fake().set("isa", "gfx908");
  open();
  try {
    const Kernels kernels(calls(), gpu(), 5);
    FAIL() << "loaded";
  } catch (const Unavailable& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("GPU 5"), HasSubstr("gfx908"), HasSubstr("gfx942")));
  }
}

TEST_F(LoadKernels, RefusesAnImageOfAnotherGpuOrOfNone) {
  const auto other = kernel_image("gfx90a");
  const std::vector<unsigned char> nothing(4096, 0x5A);
  for (const auto image : {other, std::span<const unsigned char>(nothing)}) {
    EXPECT_THAT(refusal(image), AllOf(HasSubstr("GPU 3"), HasSubstr("load_agent_code_object"),
                                      HasSubstr("HSA_STATUS_ERROR")));
  }
}

TEST_F(LoadKernels, RefusesAnImageWithoutOneOfTheKernels) {
  const auto image = kernel_image("gfx942");
  std::vector<unsigned char> altered(image.begin(), image.end());
  const std::string_view name = "conccl_copy.kd";
  for (auto at = altered.begin();;) {
    at = std::search(at, altered.end(), name.begin(), name.end());
    if (at == altered.end()) break;
    *(at + 7) = 'C';
  }
  EXPECT_THAT(refusal(altered), AllOf(HasSubstr("conccl_copy.kd"), HasSubstr("SYMBOL_NAME")));
}

Calls* loader = nullptr;
std::uint32_t told_bytes = 0;

TEST_F(LoadKernels, RefusesAKernelWithOtherArguments) {
  Calls real_calls = calls();
  loader = &real_calls;
  calls().hsa_executable_symbol_get_info = [](abi::hsa_executable_symbol_t symbol,
                                              abi::hsa_executable_symbol_info_t attribute,
                                              void* value) {
    const auto status = loader->hsa_executable_symbol_get_info(symbol, attribute, value);
    if (attribute == abi::HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE) {
      std::memcpy(value, &told_bytes, sizeof told_bytes);
    }
    return status;
  };
  for (const std::uint32_t bytes : {8u, kMostKernargBytes + 8}) {
    told_bytes = bytes;
    EXPECT_THAT(refusal(kernel_image("gfx942")),
                AllOf(HasSubstr("conccl_fill.kd"), HasSubstr(std::to_string(bytes) + " bytes"),
                      HasSubstr("expected " + std::to_string(sizeof(FillArgs)))));
  }
}

}  // namespace
}  // namespace conccl::backend::hsa
