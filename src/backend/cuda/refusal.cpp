// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/refusal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/address.hpp"
#include "backend/cuda/pointer_facts.hpp"

namespace conccl::backend::cuda {
namespace {

using Maker = AllocationIndex::Maker;

/// Of what is no allocation of a GPU.
std::string kind_of(const void* address) {
  if (AllocationIndex::of_process().foreign(address)) {
    return "is memory of another process, mapped here";
  }
  const PointerFacts facts = pointer_facts(number_of(address));
  if (facts.managed != 0) {
    return "is managed memory (cudaMallocManaged), which moves between the host and GPUs";
  }
  if (facts.kind == CU_MEMORYTYPE_HOST) return "is page-locked memory of the host";
  if (facts.kind == CU_MEMORYTYPE_DEVICE) {
    return "is a reserved address that no memory is mapped at";
  }
  return "is not known to CUDA: memory of the host, or freed";
}

}  // namespace

std::optional<std::string> why_not_shared(const AllocationIndex::Entry& entry) {
  if (entry.maker == Maker::pool) {
    return "is of a stream-ordered pool (cudaMallocAsync), which other processes cannot map: use "
           "cudaMalloc";
  }
  if (!entry.exportable) {
    return "can be mapped by no other process: expected cudaMalloc's, or cuMemCreate's with "
           "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR";
  }
  if (entry.pieces.size() > Shareable::kMaxDescriptors) {
    return fmt::format(
        "lies in {} pieces of physical memory, and other processes can map at most {}: use larger "
        "pieces, cudaMalloc, or smaller buffers",
        entry.pieces.size(), Shareable::kMaxDescriptors);
  }
  return std::nullopt;
}

std::optional<std::string> refusal(const Gpu& gpu, const void* address, Bytes bytes, Reach reach) {
  const auto entry = AllocationIndex::of_process().over(address, bytes, gpu.context());
  if (!entry || entry->maker == Maker::backend_pages) {
    return fmt::format("{}, expected memory of GPU {}, as of cudaMalloc",
                       entry ? "is page-locked memory of the host" : kind_of(address),
                       gpu.ordinal());
  }
  if (entry->gpu != gpu.ordinal()) {
    return fmt::format("is memory of GPU {}, expected GPU {}, this rank's", entry->gpu,
                       gpu.ordinal());
  }
  const auto distance = static_cast<const std::byte*>(address) - entry->allocation.base;
  const Bytes available = entry->allocation.bytes - static_cast<Bytes>(distance);
  if (available < bytes) {
    return fmt::format("is too small, {} bytes lie behind its address, expected {}", available,
                       bytes);
  }
  return reach == Reach::between_processes ? why_not_shared(*entry) : std::nullopt;
}

std::string no_peer_access(const GpuFacts& from, const GpuFacts& to) {
  return fmt::format(
      "GPU {} ({}) has no peer access to memory of GPU {} ({}), which collectives between them "
      "need: nvidia-smi topo -p2p w shows which GPUs have",
      from.ordinal, to_text(from.uuid), to.ordinal, to_text(to.uuid));
}

std::optional<std::string> refusal(const GpuFacts& from, const GpuFacts& to) {
  if (from.ordinal == to.ordinal || std::ranges::count(to.reach, from.ordinal) != 0) {
    return std::nullopt;
  }
  return no_peer_access(from, to);
}

}  // namespace conccl::backend::cuda
