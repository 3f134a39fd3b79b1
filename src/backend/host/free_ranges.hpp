// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `FreeRanges`: which bytes of a segment nobody has.
#pragma once

#include <map>
#include <optional>

#include "conccl/core/units.hpp"

namespace conccl::backend::host {

/// Offsets only; touches no memory. One thread at a time.
class FreeRanges {
 public:
  explicit FreeRanges(Bytes bytes);

  /// The first place for `bytes` (not 0) at a multiple of `alignment`; nullopt: there is none.
  [[nodiscard]] std::optional<Bytes> take(Bytes bytes, Bytes alignment);
  /// Undoes a `take` of the same bytes.
  void give_back(Bytes offset, Bytes bytes);

 private:
  Bytes free_;
  std::map<Bytes, Bytes> ranges_;  ///< offset to bytes; neighbours are joined
};

}  // namespace conccl::backend::host
