// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Failure`: whether a communicator has failed, why, and the release of everything that waits.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/area.hpp"

namespace conccl::comm {

/// Common to all ranks of all processes: the first reason given anywhere is everybody's. Any
/// thread.
class Failure {
 public:
  /// `areas` by rank; `rank` is one of this process, in whose area its reason would stand.
  Failure(std::span<const Area> areas, int rank, std::string communicator);

  /// A block whose waits are to be released; it must outlive this object.
  void releases(backend::FlagBlock& block);

  /// Declares failure, unless it has been declared, and releases all waits.
  void declare(const std::string& reason);
  /// The reason; nullopt while nothing has failed.
  [[nodiscard]] std::optional<std::string> reason() const;
  /// Throws RunError with the reason.
  void require_none() const;
  /// Releases the waits if another process has declared failure and perhaps died before it could.
  void adopt();
  /// After a failure: releases waits that came to wait after all. A signal that was under way may
  /// have hidden the release from a device's queue.
  void release_again();

 private:
  void release_waits();

  std::span<const Area> areas_;
  int rank_;
  std::string communicator_;
  std::mutex mutex_;
  bool released_ = false;
  std::vector<backend::FlagBlock*> blocks_;
};

}  // namespace conccl::comm
