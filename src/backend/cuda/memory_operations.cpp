// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/memory_operations.hpp"

#include <utility>

namespace conccl::backend::cuda {

CUstreamBatchMemOpParams& MemoryOperations::next() {
  if (count_ == kMost) flush();
  CUstreamBatchMemOpParams& operation = batch_[count_++];
  operation = {};
  return operation;
}

void MemoryOperations::write(CUdeviceptr word, std::uint64_t value) {
  auto& operation = next().writeValue;
  operation.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  operation.address = word;
  operation.value64 = value;
  operation.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
}

void MemoryOperations::wait(CUdeviceptr word, std::uint64_t value) {
  auto& operation = next().waitValue;
  operation.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
  operation.address = word;
  operation.value64 = value;
  operation.flags = CU_STREAM_WAIT_VALUE_GEQ;
}

void MemoryOperations::flush() {
  const unsigned count = std::exchange(count_, 0);
  if (count == 0) return;
  check(driver().cuStreamBatchMemOp(stream_, count, batch_.data(), 0),
        {"cuStreamBatchMemOp", gpu_, count * sizeof(std::uint64_t)});
}

}  // namespace conccl::backend::cuda
