// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/faults/gpu/foreign_memory.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <functional>
#include <map>

#include "backend/cuda/address.hpp"
#include "backend/cuda/gpu.hpp"
#include "backend/cuda/index.hpp"
#include "backend/cuda/mapping.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::test {
namespace {

using namespace backend::cuda;
using backend::Memory;

/// A call of the driver that the backend does without.
template <typename Function>
Function* driver_call(const char* name) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* call = library != nullptr ? dlsym(library, name) : nullptr;
  if (call == nullptr) throw RunError(std::string("libcuda.so.1 has no ") + name);
  return reinterpret_cast<Function*>(call);
}

/// The primary context, kept for as long as the program runs, as the CUDA runtime does.
CUcontext context_of(int gpu) {
  static std::map<int, CUcontext> contexts;
  CUcontext& context = contexts[gpu];
  if (context == nullptr) {
    check(driver().cuDevicePrimaryCtxRetain(&context, facts_of(gpu).device),
          {"cuDevicePrimaryCtxRetain", gpu});
  }
  return context;
}

Memory owned(int gpu, void* data, Bytes bytes, std::function<void(void*)> free) {
  return {std::shared_ptr<void>(data,
                                [gpu, free = std::move(free)](void* freed) {
                                  const ContextScope scope(context_of(gpu));
                                  free(freed);
                                }),
          bytes};
}

Memory of_malloc(int gpu, Bytes bytes) {
  CUdeviceptr address = 0;
  check(driver().cuMemAlloc(&address, bytes), {"cuMemAlloc", gpu, bytes});
  return owned(gpu, pointer_of(address), bytes,
               [](void* data) { (void)driver().cuMemFree(number_of(data)); });
}

Memory of_pieces(int gpu, Bytes bytes) {
  const Bytes unit = granularity(gpu);
  std::vector<Piece> pieces;
  for (Bytes made = 0; made < bytes; made += unit) {
    pieces.push_back({PhysicalMemory::create(gpu, unit), unit});
  }
  const auto mapping = std::make_shared<Mapping>(pieces);
  mapping->allow(facts_of(gpu).reach);
  return {std::shared_ptr<void>(mapping, mapping->data()), bytes};
}

Memory unshareable(int gpu, Bytes bytes) {
  const Bytes unit = granularity(gpu);
  const Bytes whole = (bytes + unit - 1) / unit * unit;
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = gpu;
  CUmemGenericAllocationHandle handle = 0;
  CUdeviceptr address = 0;
  check(driver().cuMemCreate(&handle, whole, &wanted, 0), {"cuMemCreate", gpu, whole});
  check(driver().cuMemAddressReserve(&address, whole, 0, 0, 0), {"cuMemAddressReserve", gpu});
  check(driver().cuMemMap(address, whole, 0, handle, 0), {"cuMemMap", gpu, whole});
  check(driver().cuMemRelease(handle), {"cuMemRelease", gpu});
  CUmemAccessDesc access{};
  access.location = wanted.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  check(driver().cuMemSetAccess(address, whole, &access, 1), {"cuMemSetAccess", gpu});
  return owned(gpu, pointer_of(address), bytes, [whole](void* data) {
    (void)driver().cuMemUnmap(number_of(data), whole);
    (void)driver().cuMemAddressFree(number_of(data), whole);
  });
}

Memory of_pool(int gpu, Bytes bytes) {
  CUdeviceptr address = 0;
  check(driver_call<decltype(cuMemAllocAsync)>("cuMemAllocAsync")(&address, bytes, nullptr),
        {"cuMemAllocAsync", gpu, bytes});
  finish(nullptr, {"cuMemAllocAsync", gpu, bytes});
  return owned(gpu, pointer_of(address), bytes,
               [](void* data) { (void)driver().cuMemFree(number_of(data)); });
}

Memory managed(int gpu, Bytes bytes) {
  CUdeviceptr address = 0;
  check(driver_call<decltype(cuMemAllocManaged)>("cuMemAllocManaged")(&address, bytes,
                                                                      CU_MEM_ATTACH_GLOBAL),
        {"cuMemAllocManaged", gpu, bytes});
  return owned(gpu, pointer_of(address), bytes,
               [](void* data) { (void)driver().cuMemFree(number_of(data)); });
}

Memory pinned(int gpu, Bytes bytes) {
  void* data = nullptr;
  check(driver().cuMemHostAlloc(&data, bytes, CU_MEMHOSTALLOC_PORTABLE), {"cuMemHostAlloc", gpu});
  return owned(gpu, data, bytes, [](void* freed) { (void)driver().cuMemFreeHost(freed); });
}

Memory pageable(int gpu, Bytes bytes) {
  return owned(gpu, std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), bytes, std::free);
}

Memory registered(int gpu, Bytes bytes) {
  const Memory plain = pageable(gpu, bytes);
  check(driver().cuMemHostRegister(plain.data(), bytes, CU_MEMHOSTREGISTER_PORTABLE),
        {"cuMemHostRegister", gpu, bytes});
  return owned(gpu, plain.data(), bytes,
               [plain](void* data) { (void)driver().cuMemHostUnregister(data); });
}

}  // namespace

int gpu_of(backend::Device& device) {
  const Memory probe = device.allocate(1);
  return AllocationIndex::of_process().at(probe.data(), nullptr).value().gpu;
}

Memory foreign_memory(int gpu, const std::string& kind, Bytes bytes) {
  static const std::map<std::string, Memory (*)(int, Bytes)> makers{
      {"malloc", of_malloc},  {"pieces", of_pieces},     {"unshareable", unshareable},
      {"pool", of_pool},      {"managed", managed},      {"pinned", pinned},
      {"pageable", pageable}, {"registered", registered}};
  const auto maker = makers.find(kind);
  if (maker == makers.end()) throw InputError("no memory of kind " + kind);
  const ContextScope scope(context_of(gpu));
  return maker->second(gpu, bytes);
}

}  // namespace conccl::test
