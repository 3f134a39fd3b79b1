// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/faults/gpu/foreign_memory.hpp"
#include "tests/faults/rank/foreign.hpp"

namespace conccl::test {

Buffers foreign_buffers(backend::Device& device, const std::string& kind, Bytes bytes) {
  const int gpu = gpu_of(device);
  Buffers buffers;
  buffers.send_memory = foreign_memory(gpu, kind, bytes);
  buffers.recv_memory = foreign_memory(gpu, kind, bytes);
  buffers.send = buffers.send_memory.data();
  buffers.recv = buffers.recv_memory.data();
  return buffers;
}

}  // namespace conccl::test
