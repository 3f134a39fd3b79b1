// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CycleReadingTask`: reads the multiprocessors' cycle counters.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cuda/pinned_pages.hpp"
#include "backend/cuda/task.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::cuda {

/// One warp per multiprocessor. `readings` is written when the queue's device is next synchronized;
/// multiprocessors that no warp came to have no entry.
class CycleReadingTask final : public Task, public Launchable {
 public:
  CycleReadingTask(const std::shared_ptr<Gpu>& gpu, std::vector<CycleReading>& readings);
  void launch(const LaunchSite& site) override;
  [[nodiscard]] bool reports() const override { return true; }

 private:
  void deliver();

  std::shared_ptr<PinnedPages> pages_;  ///< Counters by multiprocessor; the kernel writes them
  std::vector<CycleReading>& readings_;
  std::uint64_t newest_ = 0;  ///< of the run before; what is not newer is left from it
};

}  // namespace conccl::backend::cuda
