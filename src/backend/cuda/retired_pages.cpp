// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/retired_pages.hpp"

#include <utility>

#include "backend/cuda/driver.hpp"

namespace conccl::backend::cuda {
namespace {

// Some ten communicators between two ranks.
constexpr std::size_t kMuch = 64;

void take_back(const std::vector<SharedSegment>& pages) {
  for (const SharedSegment& each : pages) (void)driver().cuMemHostUnregister(each.data());
}

}  // namespace

RetiredPages::~RetiredPages() { take_back(pages_); }

void RetiredPages::add(SharedSegment pages) {
  pages.close_descriptor();
  const std::lock_guard lock(mutex_);
  pages_.push_back(std::move(pages));
}

void RetiredPages::tidy() {
  std::vector<SharedSegment> much;
  {
    const std::lock_guard lock(mutex_);
    if (pages_.size() < kMuch) return;
    much = std::exchange(pages_, {});
  }
  take_back(much);
}

}  // namespace conccl::backend::cuda
