// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// CUPTI, opened at run time: nothing of it is linked. Every call of it goes through here.
#pragma once

#include <cupti.h>

#include <string>

namespace conccl::bench {

#define CONCCL_CUPTI_CALLS(X)          \
  X(cuptiGetVersion)                   \
  X(cuptiGetResultString)              \
  X(cuptiSubscribe)                    \
  X(cuptiUnsubscribe)                  \
  X(cuptiActivityRegisterCallbacks)    \
  X(cuptiActivityEnable)               \
  X(cuptiActivityDisable)              \
  X(cuptiActivityFlushAll)             \
  X(cuptiActivityGetNextRecord)        \
  X(cuptiActivityGetNumDroppedRecords) \
  X(cuptiFinalize)

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): the vendor's names.
struct Cupti {
#define CONCCL_MEMBER(name) decltype(&::name) name = nullptr;
  CONCCL_CUPTI_CALLS(CONCCL_MEMBER)
#undef CONCCL_MEMBER
  std::string version;  ///< "CUPTI 13.0.1"

  /// Throws Unavailable with `operation` and CUPTI's text unless `result` is success.
  void check(CUptiResult result, const char* operation) const;
};
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)

/// The library stays in the process. Throws Unavailable with the reason: not found, incomplete, or
/// of a release whose records have another layout.
[[nodiscard]] Cupti open_cupti_library();

}  // namespace conccl::bench
