// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/tasks.hpp"

#include <algorithm>
#include <utility>

#include "backend/poison.hpp"
#include "backend/tally.hpp"

namespace conccl::backend::hsa {
namespace {

constexpr Bytes kWord = 8;
constexpr Bytes kVector = 16;

PatternRange range_of(unsigned char* data, const Stretch& stretch) {
  return {data + stretch.offset, stretch.bytes, stretch.pattern, stretch.pattern_offset};
}

/// From the buffer's begin to the end of the last stretch.
Bytes end_of(const std::vector<Stretch>& stretches) {
  Bytes end = 0;
  for (const Stretch& stretch : stretches) end = std::max(end, stretch.offset + stretch.bytes);
  return end;
}

Bytes bytes_of(const std::vector<Stretch>& stretches) {
  Bytes bytes = 0;
  for (const Stretch& stretch : stretches) bytes += stretch.bytes;
  return bytes;
}

}  // namespace

FillTask::FillTask(void* data, std::vector<Stretch> stretches)
    : data_(static_cast<unsigned char*>(data)), stretches_(std::move(stretches)) {}

void FillTask::start(ComputeLane& lane) {
  auto* const data = lane.reached(data_, end_of(stretches_));
  for (const Stretch& stretch : stretches_) {
    if (stretch.bytes == 0) continue;
    lane.launch(stretch.bytes / kWord, FillArgs{range_of(data, stretch)});
  }
}

void FillTask::finish(ComputeLane& lane) { lane.finish(bytes_of(stretches_)); }

void PoisonTask::start(ComputeLane& lane) {
  if (bytes_ == 0) return;
  lane.launch(bytes_ / kWord, SetArgs{lane.reached(data_, bytes_), bytes_, kPoisonByte});
}

CompareTask::CompareTask(std::shared_ptr<const TallySlot> slot, const void* data,
                         std::vector<Stretch> stretches, Comparison& result)
    : slot_(std::move(slot)),
      data_(static_cast<unsigned char*>(const_cast<void*>(data))),
      stretches_(std::move(stretches)),
      result_(result) {}

void CompareTask::start(ComputeLane& lane) {
  auto* const data = lane.reached(data_, end_of(stretches_));
  lane.launch(1, SetArgs{reinterpret_cast<unsigned char*>(slot_->device), sizeof(Tally), 0});
  for (const Stretch& stretch : stretches_) {
    if (stretch.bytes == 0) continue;
    lane.launch(stretch.bytes / kWord,
                CompareArgs{range_of(data, stretch), stretch.offset, slot_->device});
  }
  lane.launch(1, ConcludeArgs{data, slot_->device, slot_->host});
}

void CompareTask::finish(ComputeLane& lane) {
  lane.finish(bytes_of(stretches_));
  result_ = comparison_of(*slot_->host, stretches_);
}

void KernelCopies::start(ComputeLane& lane) {
  std::vector<CopyArgs> all;
  for (const threaded::Op& op : copies_) {
    const auto& copy = std::get<threaded::CopyOp>(op);
    if (copy.bytes == 0) continue;
    auto* const dst = lane.reached(copy.dst, copy.bytes);
    const auto* const src = lane.reached(copy.src, copy.bytes);
    all.push_back({{reinterpret_cast<unsigned char*>(dst),
                    reinterpret_cast<const unsigned char*>(src), copy.bytes}});
  }
  for (const CopyArgs& args : all) lane.launch(args.range.bytes / kVector, args);
}

void KernelCopies::finish(ComputeLane& lane) {
  Bytes bytes = 0;
  for (const threaded::Op& op : copies_) bytes += std::get<threaded::CopyOp>(op).bytes;
  lane.finish(bytes);
}

}  // namespace conccl::backend::hsa
