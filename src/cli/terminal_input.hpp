// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `TerminalInput`: what is typed goes to rank 0.
#pragma once

#include <poll.h>

#include <string>
#include <vector>

#include "conccl/core/descriptor.hpp"

namespace conccl::cli {

/// Ranks have process groups of their own, and a terminal lets only one group read: the launcher
/// reads for rank 0. Input that is no terminal is given to rank 0 as it is. One thread.
class TerminalInput {
 public:
  TerminalInput();

  /// What rank 0 gets as its standard input; valid until `rank_has_it`.
  [[nodiscard]] int for_rank_zero() const;
  void rank_has_it() { rank_end_ = {}; }

  void add_to(std::vector<pollfd>& wanted) const;
  /// Passes on what there is, without waiting.
  void forward();

 private:
  [[nodiscard]] bool may_read() const;
  void read_terminal();

  FileDescriptor rank_end_;
  FileDescriptor own_end_;  ///< owns nothing: no terminal, or it has ended
  std::string pending_;
};

}  // namespace conccl::cli
