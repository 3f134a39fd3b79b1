// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/threaded/launcher.hpp"

#include <chrono>

namespace conccl::backend::threaded {

void perform(const Op& mark) {
  if (const auto* signal = std::get_if<SignalOp>(&mark)) {
    signal->flag.block->raise(signal->flag.index, signal->value);
  } else if (const auto* timestamp = std::get_if<TimestampOp>(&mark)) {
    *timestamp->slot = std::chrono::steady_clock::now().time_since_epoch();
  }
}

void perform(std::span<const Op> marks) {
  for (const Op& mark : marks) perform(mark);
}

void give_up(std::span<const Op> marks) {
  for (const Op& mark : marks) {
    const auto* signal = std::get_if<SignalOp>(&mark);
    if (signal != nullptr && !signal->kept) {
      signal->flag.block->poison();
    } else {
      perform(mark);
    }
  }
}

}  // namespace conccl::backend::threaded
