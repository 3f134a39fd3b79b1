// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/overdue.hpp"

#include <fmt/format.h>

#include <utility>

#include "conccl/core/log.hpp"

namespace conccl::backend::hsa {

Overdue::~Overdue() {
  const std::size_t left = collect();
  if (left == 0) return;
  log(LogLevel::warning,
      fmt::format("hsa: {} copies or kernels have not ended; their memory is kept", left));
  // NOLINTNEXTLINE(bugprone-unused-return-value): kept for good.
  (void)std::make_unique<std::vector<InFlight>>(std::move(works_)).release();
}

void Overdue::add(InFlight work) {
  const std::lock_guard lock(mutex_);
  works_.push_back(std::move(work));
}

std::size_t Overdue::collect() {
  std::vector<InFlight> ended;  // let go of after the lock, for memory may be the runtime's last owner
  const std::lock_guard lock(mutex_);
  for (InFlight& work : std::exchange(works_, {})) {
    const bool running = calls_.hsa_signal_load_scacquire(work.done.get()) >= 1;
    (running ? works_ : ended).push_back(std::move(work));
  }
  return works_.size();
}

}  // namespace conccl::backend::hsa
