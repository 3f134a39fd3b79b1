// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/tasks.hpp"

#include <algorithm>
#include <cstring>

#include "backend/host/pattern.hpp"

namespace conccl::backend::host {
namespace {

constexpr Bytes kTileBytes = kMiB;

}  // namespace

std::vector<Stretch> tiles_of(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> tiles;
  for (const Stretch& stretch : stretches) {
    for (Bytes at = 0; at < stretch.bytes; at += kTileBytes) {
      tiles.push_back({stretch.offset + at, std::min(kTileBytes, stretch.bytes - at),
                       stretch.pattern, stretch.pattern_offset + at});
    }
  }
  return tiles;
}

FillTask::FillTask(void* data, const std::vector<Stretch>& stretches)
    : data_(static_cast<std::byte*>(data)), tiles_(tiles_of(stretches)) {}

void FillTask::run_tile(std::size_t tile) {
  const Stretch& part = tiles_[tile];
  write_pattern(data_ + part.offset, {part.pattern, part.pattern_offset, part.bytes});
}

PoisonTask::PoisonTask(void* data, Bytes bytes)
    : data_(static_cast<std::byte*>(data)), tiles_(tiles_of({{0, bytes, {}, 0}})) {}

void PoisonTask::run_tile(std::size_t tile) {
  std::memset(data_ + tiles_[tile].offset, kPoisonByte, tiles_[tile].bytes);
}

CompareTask::CompareTask(const void* data, const std::vector<Stretch>& stretches,
                         Comparison& result)
    : data_(static_cast<const std::byte*>(data)), tiles_(tiles_of(stretches)), result_(result) {}

void CompareTask::run_tile(std::size_t tile) {
  const Stretch& part = tiles_[tile];
  const Comparison outcome =
      compare_pattern(data_ + part.offset, {part.pattern, part.pattern_offset, part.bytes});
  const std::lock_guard lock(mutex_);
  merge(result_, outcome, part.offset);
}

}  // namespace conccl::backend::host
