// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/span_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace conccl::backend::host {
namespace {

std::vector<SpanLog::Unit> named_units(plan::Engine engine, int count) {
  std::vector<SpanLog::Unit> units;
  units.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) units.emplace_back(fmt::format("{}{}", plan::name_of(engine), i));
  return units;
}

}  // namespace

void SpanLog::Unit::add(plan::Span span) {
  span.unit = name_;
  spans_.push_back(std::move(span));
}

SpanLog::SpanLog(int dma_units, int compute_units)
    : dma_(named_units(plan::Engine::dma, dma_units)),
      compute_(named_units(plan::Engine::compute, compute_units)) {}

void SpanLog::start() {
  (void)take();
  recording_ = true;
}

plan::Timeline SpanLog::take() {
  recording_ = false;
  plan::Timeline timeline;
  for (auto* units : {&dma_, &compute_}) {
    for (Unit& unit : *units) {
      auto spans = std::exchange(unit.spans_, {});
      std::move(spans.begin(), spans.end(), std::back_inserter(timeline.spans));
    }
  }
  std::stable_sort(timeline.spans.begin(), timeline.spans.end(),
                   [](const plan::Span& a, const plan::Span& b) { return a.start < b.start; });
  return timeline;
}

SpanLog::Unit* SpanLog::units(plan::Engine engine) {
  return engine == plan::Engine::dma ? dma_.data() : compute_.data();
}

}  // namespace conccl::backend::host
