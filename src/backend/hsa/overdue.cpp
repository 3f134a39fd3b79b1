// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/overdue.hpp"

#include <fmt/format.h>

#include <utility>

#include "conccl/core/log.hpp"

namespace conccl::backend::hsa {

Overdue::~Overdue() {
  (void)collect();
  if (works_.empty()) return;
  log(LogLevel::warning,
      fmt::format("hsa: {} copies have not ended; their memory is kept", works_.size()));
  // NOLINTNEXTLINE(bugprone-unused-return-value): kept for good.
  (void)std::make_unique<std::vector<InFlight>>(std::move(works_)).release();
}

void Overdue::add(InFlight work) {
  const std::lock_guard lock(mutex_);
  works_.push_back(std::move(work));
}

void Overdue::keep(std::vector<std::shared_ptr<void>> holds) {
  log(LogLevel::warning, "hsa: kernels have not ended; the memory that they use is kept");
  const std::lock_guard lock(mutex_);
  kept_ = true;
  // NOLINTNEXTLINE(bugprone-unused-return-value): kept for good.
  (void)std::make_unique<std::vector<std::shared_ptr<void>>>(std::move(holds)).release();
}

bool Overdue::collect() {
  std::vector<InFlight>
      ended;  // let go of after the lock, for memory may be the runtime's last owner
  const std::lock_guard lock(mutex_);
  for (InFlight& work : std::exchange(works_, {})) {
    const bool running = calls_.hsa_signal_load_scacquire(work.done.get()) >= 1;
    (running ? works_ : ended).push_back(std::move(work));
  }
  return works_.empty() && !kept_;
}

}  // namespace conccl::backend::hsa
