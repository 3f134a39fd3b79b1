// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Overdue`: copies that did not end in time, with all that they still use.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/hsa/signals.hpp"

namespace conccl::backend::hsa {

/// What a copy or kernel uses until it ends.
struct InFlight {
  Signal done;                               ///< below 1 when it has ended
  std::vector<std::shared_ptr<void>> holds;  ///< memory that it reads and writes
};

/// Any thread may call it.
class Overdue {
 public:
  explicit Overdue(const Calls& calls) : calls_(calls) {}
  /// What has not ended by now is never let go of: a machine that writes late must not write into
  /// what has become someone else's memory.
  ~Overdue();
  Overdue(const Overdue&) = delete;
  Overdue& operator=(const Overdue&) = delete;

  void add(InFlight work);
  /// What nobody will ever say has ended: kept for good.
  void keep(std::vector<std::shared_ptr<void>> holds);
  /// Lets go of what has ended since; whether that is all.
  bool collect();

 private:
  const Calls& calls_;
  std::mutex mutex_;
  std::vector<InFlight> works_;
  bool kept_ = false;
};

}  // namespace conccl::backend::hsa
