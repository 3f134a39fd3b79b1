// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/span_log.hpp"

#include <algorithm>
#include <utility>

namespace conccl::backend::cuda {

void SpanLog::start() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  active_ = true;
}

void SpanLog::add(plan::Span span, Event begin, Event end) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({std::move(span), std::move(begin), std::move(end)});
}

plan::Timeline SpanLog::take() {
  const std::lock_guard lock(mutex_);
  active_ = false;
  const ContextScope scope(gpu_->context());
  if (!entries_.empty()) gpu_->clock().refresh(entries_.front().begin);
  plan::Timeline timeline;
  for (Entry& entry : std::exchange(entries_, {})) {
    entry.span.start = gpu_->clock().time_of(entry.begin.get());
    entry.span.end = gpu_->clock().time_of(entry.end.get());
    timeline.spans.push_back(std::move(entry.span));
  }
  std::ranges::stable_sort(timeline.spans, {}, &plan::Span::start);
  return timeline;
}

}  // namespace conccl::backend::cuda
