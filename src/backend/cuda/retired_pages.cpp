// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/retired_pages.hpp"

#include <utility>

#include "backend/cuda/driver.hpp"

namespace conccl::backend::cuda {
namespace {

// Some ten communicators between two ranks.
constexpr std::size_t kMuch = 64;
constexpr std::size_t kManyHandles = 16;
constexpr Bytes kMuchBehindHandles = kGiB;

void take_back(const std::vector<SharedSegment>& pages) {
  for (const SharedSegment& each : pages) (void)driver().cuMemHostUnregister(each.data());
}

void take_back(const std::vector<CUdeviceptr>& handles) {
  for (const CUdeviceptr each : handles) (void)driver().cuIpcCloseMemHandle(each);
}

}  // namespace

RetiredPages::~RetiredPages() {
  take_back(pages_);
  take_back(handles_);
}

void RetiredPages::add_handle(CUdeviceptr opened, Bytes bytes) {
  const std::lock_guard lock(mutex_);
  handles_.push_back(opened);
  handle_bytes_ += bytes;
}

void RetiredPages::add(SharedSegment pages) {
  pages.close_descriptor();
  const std::lock_guard lock(mutex_);
  pages_.push_back(std::move(pages));
}

void RetiredPages::close_handles() {
  std::vector<CUdeviceptr> handles;
  {
    const std::lock_guard lock(mutex_);
    handles = std::exchange(handles_, {});
    handle_bytes_ = 0;
  }
  take_back(handles);
}

void RetiredPages::tidy() {
  std::vector<SharedSegment> pages;
  std::vector<CUdeviceptr> handles;
  {
    const std::lock_guard lock(mutex_);
    if (pages_.size() >= kMuch) pages = std::exchange(pages_, {});
    if (handles_.size() >= kManyHandles || handle_bytes_ >= kMuchBehindHandles) {
      handles = std::exchange(handles_, {});
      handle_bytes_ = 0;
    }
  }
  take_back(pages);
  take_back(handles);
}

}  // namespace conccl::backend::cuda
