// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/faulty/faulty_queue.hpp"

namespace conccl::test {

bool FaultyQueue::is_hit(const void* dst, const void* src, Bytes bytes) {
  auto& state = device_.state();
  if (bytes == 0 || state.fault() == Fault::none || device_.index() != kFaultyRank) return false;
  const int to = state.owner_of(dst);
  const int from = state.owner_of(src);
  return to >= 0 && from >= 0 && to != from && state.hit();
}

void FaultyQueue::copy(void* dst, const void* src, Bytes bytes, backend::Origin origin) {
  if (!is_hit(dst, src, bytes)) {
    inner_->copy(dst, src, bytes, origin);
    return;
  }
  switch (device_.state().fault()) {
    case Fault::none:
    case Fault::drop:
      return;
    case Fault::shift:
      inner_->copy(static_cast<std::byte*>(dst) + 1, src, bytes - 1, origin);
      return;
    case Fault::stale: {
      const auto* old = device_.state().previous(static_cast<const std::byte*>(src), bytes);
      inner_->copy(dst, old != nullptr ? old : src, bytes, origin);
      return;
    }
    case Fault::late:
      device_.copy_late(dst, src, bytes, origin);
      return;
  }
}

void FaultyQueue::after(backend::Queue& other) {
  auto* first = dynamic_cast<FaultyQueue*>(&other);
  inner_->after(first != nullptr ? *first->inner_ : other);
}

void FaultyQueue::compute(backend::Task& task, backend::Origin origin) {
  inner_->compute(task, origin);
  device_.after_task(task, *inner_, origin);
}

}  // namespace conccl::test
