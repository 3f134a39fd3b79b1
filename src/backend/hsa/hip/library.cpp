// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <span>
#include <type_traits>
#include <vector>

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::hip {
namespace {

constexpr std::array kHipNames{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                               "libamdhip64.so"};
constexpr std::array kRocblasNames{"librocblas.so.5", "librocblas.so.4", "librocblas.so.3",
                                   "librocblas.so.0", "librocblas.so"};

struct Opened {
  void* handle = nullptr;
  std::string path;  ///< as it was asked for
};

Opened open_named(const char* variable, const char* path) {
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return {handle, path};
  throw Unavailable(fmt::format("{} not found ({}): {}", path, variable, dlerror()));
}

Opened open_first(const char* variable, std::span<const char* const> names) {
  const char* const named = std::getenv(variable);
  if (named != nullptr && *named != '\0') return open_named(variable, named);
  for (const char* name : names) {
    if (void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return {handle, name};
  }
  throw Unavailable(
      fmt::format("none of {} found: add its folder to LD_LIBRARY_PATH, or name it in {}",
                  fmt::join(names, ", "), variable));
}

/// Finds the calls of one library.
class Finder {
 public:
  explicit Finder(Opened& opened) : opened_(opened) {}

  template <typename Function>
  void find(const char* name, Function& function) {
    if (!find_optional(name, function)) missing_.emplace_back(name);
  }
  template <typename Function>
  bool find_optional(const char* name, Function& function) {
    void* const found = dlsym(opened_.handle, name);
    function = reinterpret_cast<Function>(found);
    Dl_info where{};
    if (found != nullptr && dladdr(found, &where) != 0 && where.dli_fname != nullptr) {
      opened_.path = where.dli_fname;
    }
    return found != nullptr;
  }
  void demand_all(const char* what) const {
    if (missing_.empty()) return;
    throw Unavailable(fmt::format("{}: not a {} that this backend knows: it lacks {}", opened_.path,
                                  what, fmt::join(missing_, ", ")));
  }

 private:
  Opened& opened_;
  std::vector<std::string> missing_;
};

std::string version_of(const HipCalls& calls) {
  int version = 0;
  if (calls.hipRuntimeGetVersion(&version) != abi::hipSuccess) return "of unknown version";
  return fmt::format("{}.{}.{}", version / 10'000'000, version / 100'000 % 100, version % 100'000);
}

std::string version_of(const RocblasCalls& calls) {
  std::array<char, 64> text{};
  const auto status = calls.rocblas_get_version_string(text.data(), text.size() - 1);
  return status == abi::rocblas_status_success ? text.data() : "of unknown version";
}

std::string about(const HipCall& call) {
  std::string text(call.operation);
  if (call.gpu >= 0) text += fmt::format(" on GPU {}", call.gpu);
  if (call.bytes != 0) text += fmt::format(", {} bytes", call.bytes);
  return text;
}

}  // namespace

HipLibrary open_hip() {
  Opened opened = open_first("CONCCL_HIP", kHipNames);
  Finder finder(opened);
  HipLibrary library;
#define CONCCL_FIND(name) finder.find(#name, library.calls.name);
#define CONCCL_FIND_OPTIONAL(name) (void)finder.find_optional(#name, library.calls.name);
  CONCCL_HIP_CALLS(CONCCL_FIND)
  CONCCL_HIP_OPTIONAL_CALLS(CONCCL_FIND_OPTIONAL)
#undef CONCCL_FIND_OPTIONAL
#undef CONCCL_FIND
  finder.demand_all("HIP runtime");
  library.path = opened.path;
  library.version = version_of(library.calls);
  return library;
}

RocblasLibrary open_rocblas() {
  Opened opened = open_first("CONCCL_ROCBLAS", kRocblasNames);
  Finder finder(opened);
  RocblasLibrary library;
#define CONCCL_FIND(name) finder.find(#name, library.calls.name);
  CONCCL_ROCBLAS_CALLS(CONCCL_FIND)
#undef CONCCL_FIND
  finder.demand_all("rocBLAS");
  library.path = opened.path;
  library.version = version_of(library.calls);
  return library;
}

std::string text_of(const HipCalls& calls, abi::hipError_t error) {
  const char* const name = calls.hipGetErrorName(error);
  const char* const text = calls.hipGetErrorString(error);
  return fmt::format("{} ({}): {}", name == nullptr ? "unknown error" : name,
                     static_cast<std::uint32_t>(error), text == nullptr ? "no text" : text);
}

void check(const HipCalls& calls, abi::hipError_t error, const HipCall& call) {
  if (error == abi::hipSuccess) return;
  throw RunError(fmt::format("{}: {}", about(call), text_of(calls, error)));
}

void check(const RocblasCalls& calls, abi::rocblas_status status, const HipCall& call) {
  if (status == abi::rocblas_status_success) return;
  const char* const text = calls.rocblas_status_to_string(status);
  throw RunError(fmt::format("{}: {} ({})", about(call), text == nullptr ? "no text" : text,
                             static_cast<std::uint32_t>(status)));
}

}  // namespace conccl::backend::hsa::hip
