// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `SignalSource`: signals as something to poll for, for a process that waits for others.
#pragma once

#include <csignal>
#include <optional>

#include "conccl/core/descriptor.hpp"

namespace conccl::cli {

/// While it lives, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD of the calling thread are blocked
/// and can be read here. Those that were ignored stay ignored. Throws RunError when there is no
/// descriptor left.
class SignalSource {
 public:
  SignalSource();
  ~SignalSource();
  SignalSource(const SignalSource&) = delete;
  SignalSource& operator=(const SignalSource&) = delete;

  /// For poll().
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  /// The next signal that has come; nullopt: none.
  [[nodiscard]] std::optional<int> next() const;
  /// What was blocked before: what a process started from here should begin with.
  [[nodiscard]] const sigset_t& blocked_before() const { return before_; }

 private:
  FileDescriptor descriptor_;
  sigset_t before_{};
};

}  // namespace conccl::cli
