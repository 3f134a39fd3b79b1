// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/hsa/kernel_images.hpp"
#include "backend/hsa/library.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

std::string isa_of(const Calls& calls, abi::hsa_agent_t agent, int gpu) {
  std::array<char, 65> name{};  // 64 characters, which may leave no room for a final zero
  check(calls, calls.hsa_agent_get_info(agent, abi::HSA_AGENT_INFO_NAME, name.data()),
        {"hsa_agent_get_info of the name", gpu});
  return name.data();
}

std::span<const unsigned char> image_for(const Calls& calls, abi::hsa_agent_t agent, int gpu) {
  if (!kernels_missing_reason().empty()) {
    throw Unavailable(fmt::format("kernels for GPU {}: this program was built without any: {}", gpu,
                                  kernels_missing_reason()));
  }
  const std::string isa = isa_of(calls, agent, gpu);
  const auto image = kernel_image(isa);
  if (image.empty()) {
    throw Unavailable(fmt::format("kernels for GPU {}: it is a {}, this program has kernels for {}",
                                  gpu, isa, fmt::join(kernel_targets(), ", ")));
  }
  return image;
}

}  // namespace

Kernels::Kernels(const Calls& calls, abi::hsa_agent_t agent, int gpu)
    : Kernels(calls, agent, gpu, image_for(calls, agent, gpu)) {}

Kernels::Kernels(const Calls& calls, abi::hsa_agent_t agent, int gpu,
                 std::span<const unsigned char> image)
    : calls_(calls), agent_(agent), gpu_(gpu) {
  try {
    load(image);
  } catch (...) {
    release();
    throw;
  }
}

Kernels::~Kernels() { release(); }

void Kernels::release() {
  if (executable_.handle != 0) (void)calls_.hsa_executable_destroy(executable_);
  if (reader_.handle != 0) (void)calls_.hsa_code_object_reader_destroy(reader_);
}

void Kernels::demand(abi::hsa_status_t status, const std::string& operation) const {
  if (status == abi::HSA_STATUS_SUCCESS) return;
  throw Unavailable(
      fmt::format("kernels for GPU {}: {}: {}", gpu_, operation, text_of(calls_, status)));
}

void Kernels::load(std::span<const unsigned char> image) {
  demand(calls_.hsa_code_object_reader_create_from_memory(image.data(), image.size(), &reader_),
         fmt::format("hsa_code_object_reader_create_from_memory, {} bytes", image.size()));
  demand(calls_.hsa_executable_create_alt(abi::HSA_PROFILE_FULL,
                                          abi::HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr,
                                          &executable_),
         "hsa_executable_create_alt");
  demand(
      calls_.hsa_executable_load_agent_code_object(executable_, agent_, reader_, nullptr, nullptr),
      "hsa_executable_load_agent_code_object");
  demand(calls_.hsa_executable_freeze(executable_, nullptr), "hsa_executable_freeze");
  for (std::size_t i = 0; i < kernels_.size(); ++i) kernels_[i] = find(kKernelFacts[i]);
}

LoadedKernel Kernels::find(const KernelFacts& facts) const {
  const std::string name = std::string(facts.name) + ".kd";
  abi::hsa_executable_symbol_t symbol{};
  demand(calls_.hsa_executable_get_symbol_by_name(executable_, name.c_str(), &agent_, &symbol),
         name);
  const auto get = [&](abi::hsa_executable_symbol_info_t attribute, void* value) {
    demand(calls_.hsa_executable_symbol_get_info(symbol, attribute, value),
           name + ", hsa_executable_symbol_get_info");
  };
  LoadedKernel kernel;
  get(abi::HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel.object);
  get(abi::HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernel.kernarg_bytes);
  get(abi::HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &kernel.group_bytes);
  get(abi::HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &kernel.private_bytes);
  if (kernel.kernarg_bytes < facts.args_bytes || kernel.kernarg_bytes > kMostKernargBytes) {
    throw Unavailable(fmt::format("kernels for GPU {}: {} takes {} bytes of arguments, expected {}",
                                  gpu_, name, kernel.kernarg_bytes, facts.args_bytes));
  }
  return kernel;
}

}  // namespace conccl::backend::hsa
