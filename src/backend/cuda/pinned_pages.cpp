// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/pinned_pages.hpp"

#include <unistd.h>

#include <utility>

namespace conccl::backend::cuda {
namespace {

Bytes whole_pages(Bytes bytes) {
  const auto page = static_cast<Bytes>(sysconf(_SC_PAGESIZE));
  return std::max(page, (bytes + page - 1) / page * page);
}

}  // namespace

std::shared_ptr<PinnedPages> PinnedPages::create(const std::shared_ptr<Gpu>& gpu, Bytes bytes) {
  return std::make_shared<PinnedPages>(gpu,
                                       SharedSegment::create("conccl-flags", whole_pages(bytes)));
}

std::shared_ptr<PinnedPages> PinnedPages::map(const std::shared_ptr<Gpu>& gpu,
                                              FileDescriptor descriptor, Bytes bytes) {
  return std::make_shared<PinnedPages>(gpu, SharedSegment::map(std::move(descriptor), bytes));
}

PinnedPages::PinnedPages(std::shared_ptr<Gpu> gpu, SharedSegment pages)
    : gpu_(std::move(gpu)), pages_(std::move(pages)) {
  const ContextScope scope(gpu_->context());
  gpu_->retired().tidy();
  check(driver().cuMemHostRegister(pages_.data(), pages_.bytes(),
                                   CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP),
        {"cuMemHostRegister", gpu_->ordinal(), pages_.bytes()});
}

PinnedPages::~PinnedPages() { gpu_->retired().add(std::move(pages_)); }

}  // namespace conccl::backend::cuda
