// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Work that is not linear in the steps: order searches, overlaps, pieces of buffers moved.
#pragma once

#include <cstddef>

namespace conccl::plan {

class Budget {
 public:
  explicit Budget(std::size_t units) : left_(units) {}

  void spend(std::size_t units) {
    exhausted_ = exhausted_ || units > left_;
    left_ -= units < left_ ? units : left_;
  }
  [[nodiscard]] bool exhausted() const { return exhausted_; }

 private:
  std::size_t left_;
  bool exhausted_ = false;
};

}  // namespace conccl::plan
