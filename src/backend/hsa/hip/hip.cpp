// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/hip.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "backend/hsa/hip/ordinals.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::hip {
namespace {

constexpr int kPciText = 32;

std::mutex& hip_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::weak_ptr<Hip>& opened_hip() {
  static std::weak_ptr<Hip> hip;
  return hip;
}

/// Addresses of HIP's devices, by ordinal.
std::vector<PciAddress> device_addresses(const HipCalls& calls) {
  int count = 0;
  check(calls, calls.hipGetDeviceCount(&count), {"hipGetDeviceCount"});
  std::vector<PciAddress> addresses;
  for (int device = 0; device < count; ++device) {
    std::array<char, kPciText> text{};
    check(calls, calls.hipDeviceGetPCIBusId(text.data(), kPciText, device),
          {"hipDeviceGetPCIBusId"});
    const auto address = parse_pci(text.data());
    if (!address) {
      throw RunError(fmt::format(
          "hipDeviceGetPCIBusId of device {}: \"{}\", expected domain:bus:device.function", device,
          text.data()));
    }
    addresses.push_back(*address);
  }
  return addresses;
}

}  // namespace

std::shared_ptr<Hip> Hip::open(const std::shared_ptr<Runtime>& runtime) {
  const std::lock_guard lock(hip_mutex());
  if (auto hip = opened_hip().lock(); hip && hip->runtime_ == runtime) return hip;
  std::shared_ptr<Hip> hip(new Hip(runtime));
  opened_hip() = hip;
  return hip;
}

Hip::Hip(std::shared_ptr<Runtime> runtime) : runtime_(std::move(runtime)), library_(open_hip()) {
  try {
    map_gpus();
  } catch (const RunError& error) {
    throw Unavailable(fmt::format("{}: {}", library_.path, error.what()));
  }
  if (hidden().size() == gpus_.size()) {
    throw Unavailable(
        fmt::format("{}: none of its devices is a GPU of the HSA runtime (HIP_VISIBLE_DEVICES, "
                    "ROCR_VISIBLE_DEVICES)",
                    library_.path));
  }
  look_for_rocblas();
}

void Hip::map_gpus() {
  std::vector<PciAddress> mine;
  for (std::size_t i = 0; i < runtime_->gpu_count(); ++i) {
    PciAddress address = runtime_->gpu(static_cast<int>(i)).facts.pci;
    address.function &= 0xFFFF;  // what is above are other marks of the driver's
    mine.push_back(address);
  }
  const auto devices = device_addresses(calls());
  for (const auto& ordinal : ordinals_of(mine, devices)) {
    const auto index = static_cast<int>(gpus_.size());
    gpus_.push_back(
        ordinal
            ? std::unique_ptr<HipGpu>(new HipGpu{
                  *ordinal, {calls(), index, runtime_->gpu(index).facts.units}, {runtime_, index}})
            : nullptr);
  }
}

void Hip::look_for_rocblas() {
  try {
    rocblas_ = open_rocblas();
  } catch (const Unavailable& error) {
    why_no_rocblas_ = error.what();
  }
}

HipGpu& Hip::gpu(int gpu) {
  auto& found = gpus_[static_cast<std::size_t>(gpu)];
  if (found) return *found;
  throw Unavailable(fmt::format(
      "GPU {}: not a device that HIP sees (HIP_VISIBLE_DEVICES; or several have its PCI address)",
      gpu));
}

std::vector<int> Hip::hidden() const {
  std::vector<int> found;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (!gpus_[i]) found.push_back(static_cast<int>(i));
  }
  return found;
}

std::optional<int> Hip::current_gpu() const {
  int ordinal = 0;
  if (calls().hipGetDevice(&ordinal) != abi::hipSuccess) return std::nullopt;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (gpus_[i] && gpus_[i]->ordinal == ordinal) return static_cast<int>(i);
  }
  return std::nullopt;
}

}  // namespace conccl::backend::hsa::hip
