// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/span_log.hpp"

#include <algorithm>
#include <utility>

namespace conccl::backend::hsa {

void SpanLog::start() {
  const std::lock_guard lock(mutex_);
  timeline_ = {};
  recording_ = true;
}

void SpanLog::add(plan::Span span) {
  const std::lock_guard lock(mutex_);
  timeline_.spans.push_back(std::move(span));
}

plan::Timeline SpanLog::take() {
  const std::lock_guard lock(mutex_);
  recording_ = false;
  std::ranges::stable_sort(timeline_.spans, {}, &plan::Span::start);
  return std::exchange(timeline_, {});
}

}  // namespace conccl::backend::hsa
