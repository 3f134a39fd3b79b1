// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/tasks.hpp"

#include <algorithm>
#include <utility>

#include "backend/cuda/address.hpp"
#include "backend/tally.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kWordsPerThread = 4;
constexpr unsigned kBlocksPerUnit = 8;

PatternRange range_of(unsigned char* data, const Stretch& stretch) {
  return {data + stretch.offset, stretch.bytes, stretch.pattern, stretch.pattern_offset};
}

}  // namespace

Grid grid_for(std::uint64_t words, int units) {
  constexpr std::uint64_t kPerBlock = kThreads * kWordsPerThread;
  const std::uint64_t wanted = (words + kPerBlock - 1) / kPerBlock;
  const auto most = static_cast<std::uint64_t>(units) * kBlocksPerUnit;
  return {static_cast<unsigned>(std::clamp<std::uint64_t>(wanted, 1, most)), kThreads};
}

FillTask::FillTask(void* data, std::vector<Stretch> stretches)
    : data_(static_cast<unsigned char*>(data)), stretches_(std::move(stretches)) {}

void FillTask::launch(const LaunchSite& site) {
  for (const Stretch& stretch : stretches_) {
    if (stretch.bytes == 0) continue;
    site.gpu.kernels().launch(Kernel::fill, grid_for(stretch.bytes / 8, site.units), site.stream,
                              range_of(data_, stretch));
  }
}

void PoisonTask::launch(const LaunchSite& site) {
  if (bytes_ == 0) return;
  check(driver().cuMemsetD8Async(number_of(data_), kPoisonByte, bytes_, site.stream),
        {"cuMemsetD8Async", site.gpu.ordinal(), bytes_});
}

CompareTask::CompareTask(std::shared_ptr<Gpu> gpu, const void* data, std::vector<Stretch> stretches,
                         Comparison& result)
    : gpu_(std::move(gpu)),
      data_(static_cast<unsigned char*>(const_cast<void*>(data))),
      stretches_(std::move(stretches)),
      result_(result) {
  const ContextScope scope(gpu_->context());
  slot_ = gpu_->slots().take();
}

void CompareTask::launch(const LaunchSite& site) {
  const Kernels& kernels = site.gpu.kernels();
  check(driver().cuMemsetD8Async(number_of(slot_->device), 0, sizeof(Tally), site.stream),
        {"cuMemsetD8Async", site.gpu.ordinal(), sizeof(Tally)});
  for (const Stretch& stretch : stretches_) {
    if (stretch.bytes == 0) continue;
    kernels.launch(Kernel::compare, grid_for(stretch.bytes / 8, site.units), site.stream,
                   range_of(data_, stretch), static_cast<unsigned long long>(stretch.offset),
                   slot_->device);
  }
  kernels.launch(Kernel::conclude, {1, 1}, site.stream, static_cast<const unsigned char*>(data_),
                 static_cast<const Tally*>(slot_->device), slot_->host);
  Event event = site.gpu.events().take();
  check(driver().cuEventRecord(event.get(), site.stream), {"cuEventRecord", site.gpu.ordinal()});
  site.gpu.harvest().expect(site.owner, std::move(event), [this](CUevent) { deliver(); });
}

void CompareTask::deliver() const { result_ = comparison_of(*slot_->host, stretches_); }

}  // namespace conccl::backend::cuda
