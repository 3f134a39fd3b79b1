// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/captured_flags.hpp"

#include <mutex>
#include <utility>

#include "comm/left_in_place.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {

using Kept = std::vector<std::shared_ptr<void>>;

/// Outlives its owner while a graph holds a set.
struct CapturedFlags::Pool {
  std::mutex mutex;
  std::vector<FlagSet> free;
  Kept unused;  ///< what returned sets had kept
  int leased = 0;
};

class CapturedFlags::Lease {
 public:
  Lease(std::shared_ptr<Pool> pool, const FlagSet& set, Kept memory)
      : pool_(std::move(pool)), set_(set), memory_(std::move(memory)) {
    const std::lock_guard lock(pool_->mutex);
    ++pool_->leased;
  }
  // Letting go of memory calls the device's library, which is not allowed where this may run.
  ~Lease() {
    const std::lock_guard lock(pool_->mutex);
    pool_->free.push_back(set_);
    for (auto& each : memory_) pool_->unused.push_back(std::move(each));
    --pool_->leased;
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  std::shared_ptr<Pool> pool_;
  FlagSet set_;
  Kept memory_;
};

CapturedFlags::CapturedFlags(int per_set) : per_set_(per_set), pool_(std::make_shared<Pool>()) {}

CapturedFlags::~CapturedFlags() {
  Kept unused;
  const std::lock_guard lock(pool_->mutex);
  std::swap(unused, pool_->unused);
  if (pool_->leased > 0) leave_in_place(pool_);
}

bool CapturedFlags::all_zero(const FlagSet& set) const {
  for (int flag = set.first; flag < set.first + per_set_; ++flag) {
    if (set.block->value(flag) != 0) return false;
  }
  return true;
}

bool CapturedFlags::empty() {
  const std::lock_guard lock(pool_->mutex);
  // A peer that replayed a graph which this rank did not has raised flags nobody waits for.
  std::erase_if(pool_->free, [this](const FlagSet& set) { return !all_zero(set); });
  return pool_->free.empty();
}

void CapturedFlags::add(backend::FlagBlock& block) {
  ensure(block.size() == flags_per_block(), "a block of captured flags has the agreed size");
  const std::lock_guard lock(pool_->mutex);
  for (int set = kSetsPerBlock; set-- > 0;) pool_->free.push_back({&block, set * per_set_});
}

FlagSet CapturedFlags::take() {
  const std::lock_guard lock(pool_->mutex);
  ensure(!pool_->free.empty(), "a set of captured flags is free");
  const FlagSet set = pool_->free.back();
  pool_->free.pop_back();
  return set;
}

std::shared_ptr<void> CapturedFlags::lease(const FlagSet& set, Kept memory) {
  return std::make_shared<Lease>(pool_, set, std::move(memory));
}

void CapturedFlags::tidy() {
  Kept unused;
  const std::lock_guard lock(pool_->mutex);
  std::swap(unused, pool_->unused);
}

int CapturedFlags::leased() const {
  const std::lock_guard lock(pool_->mutex);
  return pool_->leased;
}

}  // namespace conccl::comm
