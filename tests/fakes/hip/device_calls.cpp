// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "backend/hsa/calls.hpp"
#include "tests/fakes/hip/settings.hpp"
#include "tests/fakes/hip/stream.hpp"

namespace conccl::test::fake_hip {
namespace {

namespace hsa = backend::hsa::abi;

struct Device {
  std::uint32_t domain = 0;
  std::uint32_t function = 0;
};

/// The HSA runtime's calls that a device list takes.
struct HsaRuntime {
  decltype(&hsa::hsa_init) init = nullptr;
  decltype(&hsa::hsa_shut_down) shut_down = nullptr;
  decltype(&hsa::hsa_iterate_agents) iterate = nullptr;
  decltype(&hsa::hsa_agent_get_info) info = nullptr;
};

template <typename Function>
void find_call(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

/// The library that the process has open, as the real HIP and the backend share theirs.
bool find_runtime(HsaRuntime& calls) {
  const char* const path = std::getenv("CONCCL_HSA");
  void* const library = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  find_call(library, "hsa_init", calls.init);
  find_call(library, "hsa_shut_down", calls.shut_down);
  find_call(library, "hsa_iterate_agents", calls.iterate);
  find_call(library, "hsa_agent_get_info", calls.info);
  return calls.init != nullptr && calls.info != nullptr && calls.init() == hsa::HSA_STATUS_SUCCESS;
}

struct Listing {
  HsaRuntime calls;
  std::vector<Device> devices;
};

hsa::hsa_status_t add_agent(hsa::hsa_agent_t agent, void* data) {
  auto& listing = *static_cast<Listing*>(data);
  std::uint32_t type = 0;
  (void)listing.calls.info(agent, hsa::HSA_AGENT_INFO_DEVICE, &type);
  if (type != hsa::HSA_DEVICE_TYPE_GPU) return hsa::HSA_STATUS_SUCCESS;
  Device device;
  (void)listing.calls.info(agent, hsa::HSA_AMD_AGENT_INFO_DOMAIN, &device.domain);
  (void)listing.calls.info(agent, hsa::HSA_AMD_AGENT_INFO_BDFID, &device.function);
  listing.devices.push_back(device);
  return hsa::HSA_STATUS_SUCCESS;
}

std::vector<Device> list_devices() {
  Listing listing;
  if (!find_runtime(listing.calls)) return {};
  (void)listing.calls.iterate(add_agent, &listing);
  (void)listing.calls.shut_down();
  const auto order = settings().order();
  if (order.empty()) return listing.devices;
  std::vector<Device> ordered;
  for (const int gpu : order) {
    const auto index = static_cast<std::size_t>(gpu);
    if (index < listing.devices.size()) ordered.push_back(listing.devices[index]);
  }
  return ordered;
}

std::mutex& device_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::vector<Device>& devices() {
  static std::vector<Device> all;
  return all;
}

}  // namespace

int device_count() {
  const std::lock_guard lock(device_mutex());
  return static_cast<int>(devices().size());
}

CONCCL_FAKE_HIP_API const char* hipGetErrorName(hipError_t error) {
  switch (error) {
    case hipErrorNoDevice:
      return "hipErrorNoDevice";
    case hipErrorUnknown:
      return "hipErrorUnknown";
    case hipErrorInvalidHandle:
      return "hipErrorInvalidHandle";
    case hipErrorOutOfMemory:
      return "hipErrorOutOfMemory";
    default:
      return "another error";
  }
}

CONCCL_FAKE_HIP_API const char* hipGetErrorString(hipError_t /*error*/) { return "by the double"; }

CONCCL_FAKE_HIP_API hipError_t hipRuntimeGetVersion(int* version) {
  *version = 6'02'41133;
  return hipSuccess;
}

CONCCL_FAKE_HIP_API hipError_t hipGetDeviceCount(int* count) {
  if (settings().strikes("hipGetDeviceCount")) return hipErrorUnknown;
  if (const auto why = settings().read_variable(); !why.empty()) {
    std::fprintf(stderr, "HIP double: CONCCL_FAKE_HIP: %s\n", why.c_str());
    return hipErrorInvalidValue;
  }
  const std::lock_guard lock(device_mutex());
  devices() = list_devices();
  *count = static_cast<int>(devices().size());
  return *count == 0 ? hipErrorNoDevice : hipSuccess;
}

CONCCL_FAKE_HIP_API hipError_t hipGetDevice(int* device) {
  if (settings().strikes("hipGetDevice")) return hipErrorUnknown;
  *device = current_device();
  return hipSuccess;
}

CONCCL_FAKE_HIP_API hipError_t hipSetDevice(int device) {
  if (settings().strikes("hipSetDevice")) return hipErrorUnknown;
  if (device < 0 || device >= device_count()) return hipErrorInvalidDevice;
  current_device() = device;
  return hipSuccess;
}

CONCCL_FAKE_HIP_API hipError_t hipDeviceGetPCIBusId(char* text, int size, int device) {
  if (settings().strikes("hipDeviceGetPCIBusId")) return hipErrorUnknown;
  const std::lock_guard lock(device_mutex());
  if (device < 0 || device >= static_cast<int>(devices().size())) return hipErrorInvalidDevice;
  const auto& [domain, function] = devices()[static_cast<std::size_t>(device)];
  std::snprintf(text, static_cast<std::size_t>(size), "%04x:%02x:%02x.%01x", domain,
                function >> 8U & 0xFFU, function >> 3U & 0x1FU, function & 7U);
  return hipSuccess;
}

}  // namespace conccl::test::fake_hip
