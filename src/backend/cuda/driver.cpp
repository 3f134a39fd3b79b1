// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <thread>

#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";
constexpr int kOldestDriver = 12080;
constexpr int kBatchDriver = 13000;
constexpr std::chrono::microseconds kSpin{200};
constexpr std::chrono::microseconds kNap{20};
constexpr std::chrono::seconds kPatience{60};

/// Asks for the form of a call that this code was compiled for.
template <typename Function>
bool find(decltype(&::cuGetProcAddress) lookup, const char* name, Function& function) {
  void* found = nullptr;
  CUdriverProcAddressQueryResult status{};
  const auto result = lookup(name, &found, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &status);
  if (result != CUDA_SUCCESS || found == nullptr) return false;
  function = reinterpret_cast<Function>(found);
  return true;
}

void must_find(bool found, const char* name) {
  if (!found) throw Unavailable(fmt::format("{}: this driver has no {}", kLibrary, name));
}

decltype(&::cuGetProcAddress) open_library() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Unavailable(fmt::format("{} not found", kLibrary));
  void* lookup = dlsym(library, "cuGetProcAddress_v2");
  must_find(lookup != nullptr, "cuGetProcAddress_v2");
  return reinterpret_cast<decltype(&::cuGetProcAddress)>(lookup);
}

Driver find_calls() {
  const auto lookup = open_library();
  Driver calls;
#define CONCCL_FIND(name) must_find(find(lookup, #name, calls.name), #name);
  CONCCL_CUDA_CALLS(CONCCL_FIND)
#undef CONCCL_FIND
#define CONCCL_FIND(name) (void)find(lookup, #name, calls.name);
  CONCCL_CUDA_OPTIONAL_CALLS(CONCCL_FIND)
#undef CONCCL_FIND
  return calls;
}

std::string text_of(const Driver& calls, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (calls.cuGetErrorName(result, &name) != CUDA_SUCCESS) name = "unknown error";
  if (calls.cuGetErrorString(result, &text) != CUDA_SUCCESS) text = "no text";
  return fmt::format("{} ({}): {}", name, static_cast<int>(result), text);
}

Driver open_driver() {
  Driver calls = find_calls();
  int version = 0;
  (void)calls.cuDriverGetVersion(&version);
  // Older drivers have a call of this name with other parameters.
  if (version < kBatchDriver) calls.cuMemcpyBatchAsync = nullptr;
  if (version < kOldestDriver) {
    throw Unavailable(fmt::format("the driver is for CUDA {}.{}, expected 12.8 or newer",
                                  version / 1000, version % 1000 / 10));
  }
  const CUresult result = calls.cuInit(0);
  if (result != CUDA_SUCCESS) {
    throw Unavailable(fmt::format("no device: cuInit: {}", text_of(calls, result)));
  }
  return calls;
}

}  // namespace

const Driver& driver() {
  static const Driver calls = open_driver();
  return calls;
}

int driver_version() {
  int version = 0;
  check(driver().cuDriverGetVersion(&version), {"cuDriverGetVersion"});
  return version;
}

unsigned memory_kind(const void* address) {
  unsigned kind = 0;
  void* value = &kind;
  CUpointer_attribute name = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  const auto place = reinterpret_cast<CUdeviceptr>(address);
  const CUresult result = driver().cuPointerGetAttributes(1, &name, &value, place);
  return result == CUDA_SUCCESS ? kind : 0;
}

void check(CUresult result, const Call& call) {
  if (result == CUDA_SUCCESS) return;
  std::string about(call.operation);
  if (call.gpu >= 0) about += fmt::format(" on GPU {}", call.gpu);
  if (call.bytes != 0) about += fmt::format(", {} bytes", call.bytes);
  throw RunError(fmt::format("{}: {}", about, text_of(driver(), result)));
}

ContextScope::ContextScope(CUcontext context) {
  check(driver().cuCtxPushCurrent(context), {"cuCtxPushCurrent"});
}

ContextScope::~ContextScope() {
  CUcontext popped = nullptr;
  (void)driver().cuCtxPopCurrent(&popped);
}

Capture capture_of(CUstream stream, int gpu) {
  Capture found;
  check(driver().cuStreamGetCaptureInfo(stream, &found.status, &found.id, &found.graph, nullptr,
                                        nullptr, nullptr),
        {"cuStreamGetCaptureInfo", gpu});
  return found;
}

bool default_stream_is_barred() {
  CUstreamCaptureStatus status{};
  return driver().cuStreamGetCaptureInfo(CU_STREAM_LEGACY, &status, nullptr, nullptr, nullptr,
                                         nullptr, nullptr) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

bool wait_until_idle(CUstream stream, std::chrono::nanoseconds limit, int gpu) {
  using Clock = std::chrono::steady_clock;
  const BesideCaptures beside_captures;
  const auto start = Clock::now();
  for (;;) {
    const CUresult result = driver().cuStreamQuery(stream);
    if (result == CUDA_SUCCESS) return true;
    if (result != CUDA_ERROR_NOT_READY) check(result, {"work of a stream", gpu});
    const auto waited = Clock::now() - start;
    if (waited >= limit) return false;
    if (waited > kSpin) std::this_thread::sleep_for(kNap);
  }
}

void finish(CUstream stream, const Call& call) {
  if (wait_until_idle(stream, kPatience, call.gpu)) return;
  throw RunError(fmt::format("{} on GPU {}: did not end within {} s", call.operation, call.gpu,
                             kPatience.count()));
}

}  // namespace conccl::backend::cuda
