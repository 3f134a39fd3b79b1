// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/pointer_facts.hpp"

#include <array>

namespace conccl::backend::cuda {

PointerFacts pointer_facts(CUdeviceptr address) {
  PointerFacts facts;
  std::array names{
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
      CU_POINTER_ATTRIBUTE_BUFFER_ID,      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
      CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
      CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE};
  std::array<void*, names.size()> values{&facts.kind,
                                         &facts.managed,
                                         &facts.buffer,
                                         &facts.base,
                                         &facts.bytes,
                                         &facts.gpu,
                                         static_cast<void*>(&facts.pool),
                                         &facts.ipc};
  const CUresult result = driver().cuPointerGetAttributes(static_cast<unsigned>(names.size()),
                                                          names.data(), values.data(), address);
  if (result == CUDA_ERROR_INVALID_VALUE) return {};
  check(result, {"cuPointerGetAttributes"});
  return facts;
}

unsigned long long buffer_at(CUdeviceptr address) {
  unsigned long long buffer = 0;
  void* value = &buffer;
  CUpointer_attribute name = CU_POINTER_ATTRIBUTE_BUFFER_ID;
  const CUresult result = driver().cuPointerGetAttributes(1, &name, &value, address);
  return result == CUDA_SUCCESS ? buffer : 0;
}

}  // namespace conccl::backend::cuda
