// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/tally_slots.hpp"

#include <utility>

#include "backend/hsa/memory.hpp"

namespace conccl::backend::hsa {
namespace {

constexpr std::size_t kSlotsPerPage = 64;

}  // namespace

struct TallySlots::Page {
  Memory device;
  Memory host;
  std::mutex mutex{};
  std::vector<TallySlot> idle{};
};

std::shared_ptr<const TallySlot> TallySlots::take(const std::shared_ptr<Runtime>& runtime,
                                                  int gpu) {
  const std::lock_guard lock(mutex_);
  auto page = page_.lock();
  if (page) {
    const std::lock_guard page_lock(page->mutex);
    if (page->idle.empty()) page.reset();
  }
  if (!page) {
    constexpr Bytes kBytes = kSlotsPerPage * sizeof(Tally);
    page = std::make_shared<Page>(allocate(runtime, gpu, kBytes),
                                  allocate_on_host(runtime, runtime->host().fine_pool, kBytes));
    for (std::size_t i = 0; i < kSlotsPerPage; ++i) {
      page->idle.push_back({static_cast<Tally*>(page->device.data()) + i,
                            static_cast<Tally*>(page->host.data()) + i});
    }
    page_ = page;
  }
  const std::lock_guard page_lock(page->mutex);
  auto slot = std::make_unique<TallySlot>(page->idle.back());
  page->idle.pop_back();
  return {slot.release(), [page](const TallySlot* used) {
            const std::unique_ptr<const TallySlot> owned(used);
            const std::lock_guard give_back(page->mutex);
            page->idle.push_back(*owned);
          }};
}

}  // namespace conccl::backend::hsa
