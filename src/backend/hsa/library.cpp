// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

constexpr const char* kDefault = "libhsa-runtime64.so.1";

#define CONCCL_NAME(name) #name,
constexpr std::array kRequired{CONCCL_HSA_CALLS(CONCCL_NAME)};
constexpr std::array kEngine{CONCCL_HSA_ENGINE_CALLS(CONCCL_NAME)};
constexpr std::array kKernel{CONCCL_HSA_KERNEL_CALLS(CONCCL_NAME)};
#undef CONCCL_NAME

std::string path_of(void* address, const char* asked) {
  Dl_info found{};
  const bool known = dladdr(address, &found) != 0 && found.dli_fname != nullptr;
  return known ? found.dli_fname : asked;
}

template <typename Names>
std::vector<std::string> missing_of(const Library& library, const Names& names) {
  std::vector<std::string> missing;
  for (const char* name : names) {
    if (library.lacks(name)) missing.emplace_back(name);
  }
  return missing;
}

const char* name_of(abi::hsa_status_t status) {
  switch (status) {
#define CONCCL_CASE(name) \
  case abi::name:         \
    return #name;
    CONCCL_CASE(HSA_STATUS_SUCCESS)
    CONCCL_CASE(HSA_STATUS_INFO_BREAK)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_MEMORY_POOL)
    CONCCL_CASE(HSA_STATUS_ERROR_MEMORY_FAULT)
    CONCCL_CASE(HSA_STATUS_CU_MASK_REDUCED)
    CONCCL_CASE(HSA_STATUS_ERROR)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_ARGUMENT)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_QUEUE_CREATION)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_ALLOCATION)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_AGENT)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_SIGNAL)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_QUEUE)
    CONCCL_CASE(HSA_STATUS_ERROR_OUT_OF_RESOURCES)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT)
    CONCCL_CASE(HSA_STATUS_ERROR_NOT_INITIALIZED)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_CODE_OBJECT)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_EXECUTABLE)
    CONCCL_CASE(HSA_STATUS_ERROR_FROZEN_EXECUTABLE)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME)
    CONCCL_CASE(HSA_STATUS_ERROR_EXCEPTION)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL)
    CONCCL_CASE(HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER)
#undef CONCCL_CASE
  }
  return nullptr;
}

}  // namespace

bool Library::lacks(const std::string& call) const {
  return std::find(missing.begin(), missing.end(), call) != missing.end();
}

Library open_library() {
  const char* const named = std::getenv("CONCCL_HSA");
  const char* const asked = named != nullptr && *named != '\0' ? named : kDefault;
  void* handle = dlopen(asked, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    throw Unavailable(asked == named ? fmt::format("CONCCL_HSA: {}", why)
                                     : fmt::format("{} not found", asked));
  }
  Library library;
  library.path = asked;
  const auto find = [&](const char* name, auto& function) {
    void* const found = dlsym(handle, name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    if (found == nullptr) {
      library.missing.emplace_back(name);
    } else {
      library.path = path_of(found, asked);
    }
  };
#define CONCCL_FIND(name) find(#name, library.calls.name);
  CONCCL_HSA_CALLS(CONCCL_FIND)
  CONCCL_HSA_ENGINE_CALLS(CONCCL_FIND)
  CONCCL_HSA_KERNEL_CALLS(CONCCL_FIND)
  CONCCL_HSA_OPTIONAL_CALLS(CONCCL_FIND)
#undef CONCCL_FIND
  return library;
}

void demand_calls(const Library& library) {
  const auto missing = missing_of(library, kRequired);
  if (!missing.empty()) {
    throw Unavailable(fmt::format("{}: not an HSA runtime that this backend knows: it lacks {}",
                                  library.path, fmt::join(missing, ", ")));
  }
  const auto engines = missing_of(library, kEngine);
  if (!engines.empty()) {
    throw Unavailable(fmt::format("{}: too old, it lacks {}: expected ROCm 5.6 or newer",
                                  library.path, fmt::join(engines, ", ")));
  }
}

std::string why_no_kernels(const Library& library) {
  const auto missing = missing_of(library, kKernel);
  if (missing.empty()) return {};
  return fmt::format("{} lacks {}", library.path, fmt::join(missing, ", "));
}

std::string text_of(const Calls& calls, abi::hsa_status_t status) {
  const auto number = static_cast<std::uint32_t>(status);
  if (const char* const name = name_of(status)) return fmt::format("{} (0x{:x})", name, number);
  const char* text = nullptr;
  if (calls.hsa_status_string(status, &text) != abi::HSA_STATUS_SUCCESS || text == nullptr) {
    text = "unknown status";
  }
  return fmt::format("{} (0x{:x})", text, number);
}

void check(const Calls& calls, abi::hsa_status_t status, const Call& call) {
  if (status == abi::HSA_STATUS_SUCCESS) return;
  std::string about(call.operation);
  if (call.gpu >= 0) about += fmt::format(" on GPU {}", call.gpu);
  if (call.bytes != 0) about += fmt::format(", {} bytes", call.bytes);
  throw RunError(fmt::format("{}: {}", about, text_of(calls, status)));
}

}  // namespace conccl::backend::hsa
