// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// A library with CUPTI's interface that hands out a few records by CUPTI's own protocol: one
// subscriber, kinds that are switched on and off, buffers that are asked for and returned on
// another thread, records that are walked through. CONCCL_FAKE_CUPTI names what goes wrong.

#include <cupti.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct State {
  CUpti_BuffersCallbackRequestFunc requested = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed = nullptr;
  std::set<CUpti_ActivityKind> enabled;
  std::set<CUpti_ActivityKind> recorded;  ///< what was enabled until now and not flushed yet
  std::size_t dropped = 0;
  int subscribers = 0;
};

State& state() {
  static State instance;
  return instance;
}

bool wrong_with(std::string_view what) {
  const char* mode = std::getenv("CONCCL_FAKE_CUPTI");
  return mode != nullptr && what == mode;
}

template <typename Activity>
void append(std::vector<std::uint8_t>& bytes, const Activity& activity) {
  const auto offset = bytes.size();
  bytes.resize(offset + sizeof activity);
  std::memcpy(bytes.data() + offset, &activity, sizeof activity);
}

CUpti_ActivityKernel10 kernel(const char* name, std::uint64_t start) {
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = name;
  record.deviceId = 1;
  record.start = start;
  record.end = start + 500;
  return record;
}

CUpti_ActivityMemcpyPtoP4 peer_copy(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  CUpti_ActivityMemcpyPtoP4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  record.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  record.srcKind = record.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.bytes = bytes;
  record.start = 2000;
  record.end = 3000;
  record.deviceId = record.srcDeviceId = from;
  record.dstDeviceId = to;
  record.channelID = 7;
  record.channelType =
      wrong_with("compute_channel") ? CUPTI_CHANNEL_TYPE_COMPUTE : CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
  return record;
}

CUpti_ActivityMemcpy6 copy(CUpti_ActivityMemcpyKind kind, CUpti_ActivityMemoryKind from,
                           std::uint64_t bytes) {
  CUpti_ActivityMemcpy6 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  record.copyKind = static_cast<std::uint8_t>(kind);
  record.srcKind = static_cast<std::uint8_t>(from);
  record.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record.bytes = bytes;
  record.channelID = 3;
  record.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  record.copyCount = 4;
  return record;
}

CUpti_ActivityMemset4 memset_record() {
  CUpti_ActivityMemset4 record{};
  record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  record.bytes = 128;
  return record;
}

std::vector<std::uint8_t> records_of(CUpti_ActivityKind kind) {
  std::vector<std::uint8_t> bytes;
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    append(bytes, kernel("gemm_kernel", 1000));
    if (wrong_with("collective_kernel")) append(bytes, kernel("_Z10all_gatherPv", 1200));
  } else if (kind == CUPTI_ACTIVITY_KIND_MEMCPY2) {
    append(bytes, peer_copy(0, 1, 8192));
    append(bytes, peer_copy(1, 0, 8192));
  } else if (kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    append(bytes, copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMORY_KIND_PINNED, 64));
    append(bytes, copy(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 32));
  } else if (kind == CUPTI_ACTIVITY_KIND_MEMSET && wrong_with("memset")) {
    append(bytes, memset_record());
  }
  return bytes;
}

std::size_t size_of(const CUpti_Activity* record) {
  if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return sizeof(CUpti_ActivityKernel10);
  if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY2) return sizeof(CUpti_ActivityMemcpyPtoP4);
  return record->kind == CUPTI_ACTIVITY_KIND_MEMSET ? sizeof(CUpti_ActivityMemset4)
                                                    : sizeof(CUpti_ActivityMemcpy6);
}

void deliver(CUpti_ActivityKind kind) {
  const auto records = records_of(kind);
  if (records.empty()) return;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0;
  std::size_t most = 0;
  state().requested(&buffer, &size, &most);
  if (buffer == nullptr || size < records.size() || wrong_with("dropped")) {
    state().dropped += 2;
    if (buffer != nullptr) state().completed(nullptr, 0, buffer, size, 0);
    return;
  }
  std::memcpy(buffer, records.data(), records.size());
  state().completed(nullptr, 0, buffer, size, records.size());
}

}  // namespace

extern "C" {

/// How many are attached: 0 once everybody has left.
int fake_cupti_subscribers() { return state().subscribers; }

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = wrong_with("old") ? 24 : 130001;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_NOT_INITIALIZED ? "CUPTI_ERROR_NOT_INITIALIZED" : "CUPTI_ERROR";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc, void*) {
  if (wrong_with("no_driver")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (state().subscribers > 0) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  *subscriber = nullptr;
  ++state().subscribers;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) { return CUPTI_SUCCESS; }

CUptiResult cuptiFinalize() {
  state() = {};
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
  state().requested = requested;
  state().completed = completed;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (wrong_with("no_memsets") && kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    return CUPTI_ERROR_NOT_COMPATIBLE;
  }
  state().enabled.insert(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  if (state().enabled.erase(kind) > 0) state().recorded.insert(kind);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
  if (flag != CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) return CUPTI_ERROR_INVALID_PARAMETER;
  if (state().completed == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  std::thread worker([] {
    for (const auto kind : state().recorded) deliver(kind);
  });
  worker.join();
  state().recorded.clear();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                       CUpti_Activity** record) {
  std::uint8_t* next = buffer;
  if (*record != nullptr) next = reinterpret_cast<std::uint8_t*>(*record) + size_of(*record);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  if (*record != nullptr && wrong_with("incomplete")) return CUPTI_ERROR_INVALID_KIND;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = std::exchange(state().dropped, 0);
  return CUPTI_SUCCESS;
}
}
