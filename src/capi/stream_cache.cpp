// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/stream_cache.hpp"

#include <algorithm>

namespace conccl::capi {
namespace {

// More than any program uses at a time; one that makes a stream per call must not fill the memory.
constexpr std::size_t kMost = 64;

}  // namespace

std::shared_ptr<Stream> StreamCache::get(const std::shared_ptr<backend::Device>& device,
                                         void* stream) {
  const auto id = device->stream_id(stream);
  if (!id) return nullptr;
  const auto known = std::ranges::find(entries_, *id, &Entry::id);
  if (known != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, known);
  } else {
    entries_.push_front({*id, std::make_shared<Stream>(Stream{device, device->wrap(stream)})});
    if (entries_.size() > kMost) entries_.pop_back();
  }
  return entries_.front().stream;
}

}  // namespace conccl::capi
