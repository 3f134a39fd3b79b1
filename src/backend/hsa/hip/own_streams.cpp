// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/own_streams.hpp"

#include "backend/hsa/kernel_queue.hpp"

namespace conccl::backend::hsa::hip {

OwnStreams::~OwnStreams() {
  for (const auto& [spec, streams] : idle_) {
    for (abi::hipStream_t stream : streams) (void)calls_.hipStreamDestroy(stream);
  }
}

abi::hipStream_t OwnStreams::take(const StreamSpec& spec) {
  {
    const std::lock_guard lock(mutex_);
    auto& idle = idle_[spec];
    if (!idle.empty()) {
      abi::hipStream_t stream = idle.back();
      idle.pop_back();
      return stream;
    }
  }
  return make(spec);
}

void OwnStreams::give_back(const StreamSpec& spec, abi::hipStream_t stream) {
  const std::lock_guard lock(mutex_);
  idle_[spec].push_back(stream);
}

abi::hipStream_t OwnStreams::make(const StreamSpec& spec) const {
  abi::hipStream_t stream = nullptr;
  if (!spec.units.empty()) {
    const auto mask = unit_mask(spec.units, units_, gpu_);
    check(calls_,
          calls_.hipExtStreamCreateWithCUMask(&stream, static_cast<std::uint32_t>(mask.size()),
                                              mask.data()),
          {"hipExtStreamCreateWithCUMask", gpu_});
    return stream;
  }
  int least = 0;
  int greatest = 0;
  check(calls_, calls_.hipDeviceGetStreamPriorityRange(&least, &greatest),
        {"hipDeviceGetStreamPriorityRange", gpu_});
  const int priority = spec.priority == plan::Priority::high ? greatest : 0;
  check(calls_, calls_.hipStreamCreateWithPriority(&stream, abi::hipStreamNonBlocking, priority),
        {"hipStreamCreateWithPriority", gpu_});
  return stream;
}

}  // namespace conccl::backend::hsa::hip
