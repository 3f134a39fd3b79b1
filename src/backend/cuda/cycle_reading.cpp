// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/cycle_reading.hpp"

#include <algorithm>
#include <utility>

#include "backend/cuda/kernel_args.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr unsigned kWarp = 32;

}  // namespace

CycleReadingTask::CycleReadingTask(const std::shared_ptr<Gpu>& gpu,
                                   std::vector<CycleReading>& readings)
    : pages_(PinnedPages::create(gpu, kMostUnits * sizeof(Counters))), readings_(readings) {}

void CycleReadingTask::launch(const LaunchSite& site) {
  const auto blocks = static_cast<unsigned>(site.units);
  site.gpu.kernels().launch(Kernel::counters, {blocks, kWarp}, site.stream, pages_->data());
  Event event = site.gpu.events().take();
  check(driver().cuEventRecord(event.get(), site.stream), {"cuEventRecord", site.gpu.ordinal()});
  site.gpu.harvest().expect(site.owner, std::move(event), [this](CUevent) { deliver(); });
}

void CycleReadingTask::deliver() {
  const auto* counters = reinterpret_cast<const Counters*>(pages_->data());
  std::uint64_t newest = newest_;
  readings_.clear();
  for (unsigned unit = 0; unit < kMostUnits; ++unit) {
    const auto [cycles, nanoseconds] = counters[unit];
    if (nanoseconds <= newest_) continue;
    readings_.push_back({static_cast<int>(unit), cycles, nanoseconds});
    newest = std::max(newest, nanoseconds);
  }
  newest_ = newest;
}

}  // namespace conccl::backend::cuda
