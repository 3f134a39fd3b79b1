// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/mapping.hpp"

#include <fmt/format.h>

#include <utility>

#include "conccl/core/errors.hpp"

namespace conccl::backend::cuda {
namespace {

CUmemAllocationProp properties(int gpu) {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = gpu;
  return wanted;
}

}  // namespace

PhysicalMemory PhysicalMemory::create(int gpu, Bytes bytes) {
  const CUmemAllocationProp wanted = properties(gpu);
  CUmemGenericAllocationHandle handle = 0;
  check(driver().cuMemCreate(&handle, bytes, &wanted, 0), {"cuMemCreate", gpu, bytes});
  return PhysicalMemory(handle);
}

PhysicalMemory PhysicalMemory::import(const FileDescriptor& descriptor) {
  CUmemGenericAllocationHandle handle = 0;
  void* number = pointer_of(static_cast<CUdeviceptr>(descriptor.get()));
  check(driver().cuMemImportFromShareableHandle(&handle, number,
                                                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
        {"cuMemImportFromShareableHandle"});
  return PhysicalMemory(handle);
}

PhysicalMemory PhysicalMemory::at(CUdeviceptr address) {
  CUmemGenericAllocationHandle handle = 0;
  check(driver().cuMemRetainAllocationHandle(&handle, pointer_of(address)),
        {"cuMemRetainAllocationHandle"});
  return PhysicalMemory(handle);
}

PhysicalMemory::PhysicalMemory(PhysicalMemory&& other) noexcept
    : handle_(std::exchange(other.handle_, 0)) {}

PhysicalMemory::~PhysicalMemory() {
  if (handle_ != 0) (void)driver().cuMemRelease(handle_);
}

FileDescriptor PhysicalMemory::export_descriptor() const {
  CUmemAllocationProp made{};
  check(driver().cuMemGetAllocationPropertiesFromHandle(&made, handle_),
        {"cuMemGetAllocationPropertiesFromHandle"});
  if ((made.requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == 0) {
    throw Unavailable(
        "share: this memory was made by cuMemCreate without CU_MEM_HANDLE_TYPE_POSIX_FILE_"
        "DESCRIPTOR, so no other process can map it");
  }
  int number = -1;
  check(driver().cuMemExportToShareableHandle(&number, handle_,
                                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        {"cuMemExportToShareableHandle", made.location.id});
  return FileDescriptor(number);
}

Bytes granularity(int gpu) {
  const CUmemAllocationProp wanted = properties(gpu);
  std::size_t found = 0;
  check(
      driver().cuMemGetAllocationGranularity(&found, &wanted, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
      {"cuMemGetAllocationGranularity", gpu});
  return found;
}

Mapping::Mapping(const PhysicalMemory& memory, Bytes bytes) : bytes_(bytes) {
  check(driver().cuMemAddressReserve(&address_, bytes, 0, 0, 0),
        {"cuMemAddressReserve", -1, bytes});
  try {
    map(memory);
  } catch (const Error&) {
    unmap();
    throw;
  }
}

Mapping::~Mapping() { unmap(); }

void Mapping::map(const PhysicalMemory& memory) {
  check(driver().cuMemMap(address_, bytes_, 0, memory.get(), 0), {"cuMemMap", -1, bytes_});
  mapped_ = true;
}

void Mapping::allow(const std::vector<int>& gpus) const {
  for (const int gpu : gpus) {
    CUmemAccessDesc access{};
    access.location = {CU_MEM_LOCATION_TYPE_DEVICE, {gpu}};
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    check(driver().cuMemSetAccess(address_, bytes_, &access, 1), {"cuMemSetAccess", gpu, bytes_});
  }
}

void Mapping::unmap() {
  if (mapped_) (void)driver().cuMemUnmap(address_, bytes_);
  (void)driver().cuMemAddressFree(address_, bytes_);
}

}  // namespace conccl::backend::cuda
