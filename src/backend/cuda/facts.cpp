// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr std::size_t kLongestName = 128;

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, which, device), {"cuDeviceGetAttribute", device});
  return value;
}

int partition_step(CUdevice device) {
  if (driver().cuGreenCtxStreamCreate == nullptr || driver().cuDeviceGetDevResource == nullptr) {
    return 0;
  }
  CUdevResource all{};
  if (driver().cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS) {
    return 0;
  }
  return static_cast<int>(std::max(all.sm.minSmPartitionSize, all.sm.smCoscheduledAlignment));
}

Uuid uuid_of(CUdevice device, int ordinal) {
  CUuuid found{};
  check(driver().cuDeviceGetUuid(&found, device), {"cuDeviceGetUuid", ordinal});
  Uuid uuid;
  std::memcpy(uuid.data(), found.bytes, uuid.size());
  return uuid;
}

std::vector<int> reach_of(CUdevice device) {
  std::vector<int> reach;
  for (int peer = 0; peer < gpu_count(); ++peer) {
    CUdevice other = 0;
    int can = 0;
    check(driver().cuDeviceGet(&other, peer), {"cuDeviceGet", peer});
    if (other == device) {
      can = 1;
    } else {
      check(driver().cuDeviceCanAccessPeer(&can, other, device), {"cuDeviceCanAccessPeer", peer});
    }
    if (can != 0) reach.push_back(peer);
  }
  return reach;
}

}  // namespace

std::string to_text(const Uuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", std::to_integer<unsigned>(uuid[i]));
  }
  return text;
}

int gpu_count() {
  int count = 0;
  check(driver().cuDeviceGetCount(&count), {"cuDeviceGetCount"});
  return count;
}

GpuFacts facts_of(int ordinal) {
  GpuFacts facts;
  facts.ordinal = ordinal;
  check(driver().cuDeviceGet(&facts.device, ordinal), {"cuDeviceGet", ordinal});
  std::array<char, kLongestName> name{};
  check(driver().cuDeviceGetName(name.data(), static_cast<int>(name.size()), facts.device),
        {"cuDeviceGetName", ordinal});
  facts.name = name.data();
  facts.uuid = uuid_of(facts.device, ordinal);
  facts.architecture = 10 * attribute(facts.device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                       attribute(facts.device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  facts.units = attribute(facts.device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  facts.unit_step = partition_step(facts.device);
  facts.engines = attribute(facts.device, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
  facts.cache = static_cast<Bytes>(attribute(facts.device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  std::size_t memory = 0;
  check(driver().cuDeviceTotalMem(&memory, facts.device), {"cuDeviceTotalMem", ordinal});
  facts.memory = memory;
  facts.reach = reach_of(facts.device);
  return facts;
}

void demand_features(const GpuFacts& facts) {
  struct Feature {
    CUdevice_attribute attribute;
    const char* name;
  };
  constexpr std::array kNeeded{
      Feature{CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, "unified addressing"},
      Feature{CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, "64-bit stream memory operations"},
      Feature{CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, "virtual memory management"},
      Feature{CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
              "memory handles as file descriptors"}};
  for (const Feature& feature : kNeeded) {
    if (attribute(facts.device, feature.attribute) != 0) continue;
    throw Unavailable(
        fmt::format("GPU {} ({}) has no {}", facts.ordinal, facts.name, feature.name));
  }
}

}  // namespace conccl::backend::cuda
