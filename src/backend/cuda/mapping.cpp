// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/mapping.hpp"

#include <fmt/format.h>

#include <numeric>
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

std::optional<PhysicalMemory> PhysicalMemory::at(CUdeviceptr address) {
  CUmemGenericAllocationHandle handle = 0;
  const auto result = driver().cuMemRetainAllocationHandle(&handle, pointer_of(address));
  if (result != CUDA_SUCCESS) return std::nullopt;
  return PhysicalMemory(handle);
}

PhysicalMemory::PhysicalMemory(PhysicalMemory&& other) noexcept
    : handle_(std::exchange(other.handle_, 0)) {}

PhysicalMemory::~PhysicalMemory() {
  if (handle_ != 0) (void)driver().cuMemRelease(handle_);
}

bool PhysicalMemory::exportable() const {
  CUmemAllocationProp made{};
  check(driver().cuMemGetAllocationPropertiesFromHandle(&made, handle_),
        {"cuMemGetAllocationPropertiesFromHandle"});
  return (made.requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0;
}

FileDescriptor PhysicalMemory::export_descriptor() const {
  int number = -1;
  check(driver().cuMemExportToShareableHandle(&number, handle_,
                                              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        {"cuMemExportToShareableHandle"});
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

Mapping::Mapping(const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) bytes_ += piece.bytes;
  check(driver().cuMemAddressReserve(&address_, bytes_, 0, 0, 0),
        {"cuMemAddressReserve", -1, bytes_});
  try {
    for (const Piece& piece : pieces) map(piece);
  } catch (const Error&) {
    unmap();
    throw;
  }
}

Mapping::Mapping(PhysicalMemory memory, Bytes bytes)
    : Mapping([&] {
        std::vector<Piece> one;
        one.push_back({std::move(memory), bytes});
        return one;
      }()) {}

Mapping::~Mapping() { unmap(); }

void Mapping::map(const Piece& piece) {
  const Bytes offset = std::accumulate(mapped_.begin(), mapped_.end(), Bytes{0});
  check(driver().cuMemMap(address_ + offset, piece.bytes, 0, piece.memory.get(), 0),
        {"cuMemMap", -1, piece.bytes});
  mapped_.push_back(piece.bytes);
}

void Mapping::allow(const std::vector<int>& gpus) const {
  for (const int gpu : gpus) {
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = gpu;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    check(driver().cuMemSetAccess(address_, bytes_, &access, 1), {"cuMemSetAccess", gpu, bytes_});
  }
}

void Mapping::unmap() {
  CUdeviceptr place = address_;
  for (const Bytes bytes : mapped_) {
    (void)driver().cuMemUnmap(place, bytes);
    place += bytes;
  }
  (void)driver().cuMemAddressFree(address_, bytes_);
}

}  // namespace conccl::backend::cuda
