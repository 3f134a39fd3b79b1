// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/evidence/cupti_records.hpp"

#include <algorithm>

namespace conccl::bench {
namespace {

// Releases add members at the end, so that these are found where they are in every 13.x.
using KernelActivity = CUpti_ActivityKernel10;
using CopyActivity = CUpti_ActivityMemcpy6;
using PeerCopyActivity = CUpti_ActivityMemcpyPtoP4;
using MemsetActivity = CUpti_ActivityMemset4;

template <typename Activity>
const Activity& as(const CUpti_Activity* record) {
  return *reinterpret_cast<const Activity*>(record);
}

ChannelType type_of(CUpti_ChannelType type) {
  if (type == CUPTI_CHANNEL_TYPE_COMPUTE) return ChannelType::compute;
  return type == CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY ? ChannelType::copy_engine : ChannelType::unknown;
}

bool is_device(std::uint8_t memory) {
  return memory == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE ||
         memory == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC ||
         memory == CUPTI_ACTIVITY_MEMORY_KIND_MANAGED ||
         memory == CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC ||
         memory == CUPTI_ACTIVITY_MEMORY_KIND_ARRAY;
}

/// Between devices' memories. Where the tracer does not know a memory, the kind of copy tells.
template <typename Activity>
bool stays_on_devices(const Activity& copy) {
  if (copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_PTOP) return true;
  if (copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD) return true;
  return is_device(copy.srcKind) && is_device(copy.dstKind);
}

template <typename Activity>
CopyRecord copy_of(const Activity& copy) {
  const int device = static_cast<int>(copy.deviceId);
  CopyRecord record;
  record.kind = stays_on_devices(copy) ? CopyKind::local : CopyKind::host;
  record.bytes = copy.bytes;
  record.device = record.source = record.destination = device;
  record.channel = copy.channelID;
  record.type = type_of(copy.channelType);
  record.start = Nanoseconds(copy.start);
  record.end = Nanoseconds(copy.end);
  return record;
}

CopyRecord local_copy_of(const CopyActivity& copy) {
  CopyRecord record = copy_of(copy);
  record.copies = std::max<std::uint64_t>(1, copy.copyCount);
  return record;
}

CopyRecord peer_copy_of(const PeerCopyActivity& copy) {
  CopyRecord record = copy_of(copy);
  record.source = static_cast<int>(copy.srcDeviceId);
  record.destination = static_cast<int>(copy.dstDeviceId);
  if (record.source != record.destination) record.kind = CopyKind::peer;
  return record;
}

template <typename Activity>
KernelRecord work_of(const Activity& work, const char* name) {
  return {name == nullptr ? "unnamed" : name, static_cast<int>(work.deviceId),
          Nanoseconds(work.start), Nanoseconds(work.end)};
}

void add_record(const CUpti_Activity* record, Evidence& evidence) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = as<KernelActivity>(record);
      evidence.kernels.push_back(work_of(kernel, kernel.name));
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET:
      evidence.kernels.push_back(work_of(as<MemsetActivity>(record), kMemset.data()));
      return;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      evidence.copies.push_back(local_copy_of(as<CopyActivity>(record)));
      return;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      evidence.copies.push_back(peer_copy_of(as<PeerCopyActivity>(record)));
      return;
    default:
      return;
  }
}

}  // namespace

void add_records(const Cupti& cupti, const CuptiBuffers::Filled& buffer, Evidence& evidence) {
  CUpti_Activity* record = nullptr;
  for (;;) {
    const auto result = cupti.cuptiActivityGetNextRecord(buffer.data, buffer.bytes, &record);
    if (result == CUPTI_ERROR_MAX_LIMIT_REACHED) return;
    cupti.check(result, "cuptiActivityGetNextRecord");
    add_record(record, evidence);
  }
}

}  // namespace conccl::bench
