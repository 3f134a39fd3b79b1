// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/interrupt.hpp"

namespace conccl::cli {
namespace {

// A signal handler is given nothing but the signal's number, so what it sets has to be global.
std::atomic<bool> interrupted{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free, "set by a signal handler");

constexpr std::array kSignals{SIGINT, SIGTERM};

void on_interrupt(int) { interrupted.store(true); }

}  // namespace

InterruptScope::InterruptScope() {
  interrupted.store(false);
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
}

InterruptScope::~InterruptScope() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

const std::atomic<bool>& InterruptScope::flag() const { return interrupted; }

}  // namespace conccl::cli
