// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/evidence/cupti_buffers.hpp"

#include <algorithm>
#include <utility>

#include "conccl/core/log.hpp"

namespace conccl::bench {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

}  // namespace

CuptiBuffers& CuptiBuffers::of_process() {
  // Never destroyed: CUPTI may return a buffer while the process exits.
  static auto& buffers = *new CuptiBuffers;
  return buffers;
}

bool CuptiBuffers::acquire() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(acquired_, true);
}

void CuptiBuffers::release() {
  const std::lock_guard lock(mutex_);
  acquired_ = false;
}

void CuptiBuffers::requested(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = of_process().hand_out();
  *size = *buffer == nullptr ? 0 : kBytes;
  *records = 0;
}

void CuptiBuffers::completed(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                             std::size_t /*size*/, std::size_t valid) {
  of_process().put_back({buffer, valid});
}

std::uint8_t* CuptiBuffers::hand_out() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    auto slot = std::find_if(slots_.begin(), slots_.end(),
                             [](const Slot& entry) { return entry.state == Slot::State::free; });
    if (slot == slots_.end()) {
      slots_.push_back({std::make_unique<std::uint8_t[]>(kBytes), 0, Slot::State::free});
      slot = slots_.end() - 1;
    }
    slot->state = Slot::State::with_cupti;
    return slot->memory.get();
  } catch (const std::exception& error) {
    log(LogLevel::warning, error.what());
    return nullptr;
  }
}

void CuptiBuffers::put_back(const Filled& buffer) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& slot : slots_) {
    if (slot.memory.get() != buffer.data) continue;
    slot.valid = buffer.bytes;
    slot.state = Slot::State::filled;
  }
}

std::vector<CuptiBuffers::Filled> CuptiBuffers::take() {
  const std::lock_guard lock(mutex_);
  std::vector<Filled> filled;
  for (auto& slot : slots_) {
    if (slot.state != Slot::State::filled) continue;
    slot.state = Slot::State::taken;
    filled.push_back({slot.memory.get(), slot.valid});
  }
  return filled;
}

void CuptiBuffers::recycle() {
  const std::lock_guard lock(mutex_);
  for (auto& slot : slots_) {
    if (slot.state == Slot::State::taken) slot.state = Slot::State::free;
  }
}

}  // namespace conccl::bench
