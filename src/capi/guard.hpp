// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The boundary: exceptions become results here, and nowhere else.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "capi/error_text.hpp"
#include "conccl/conccl.h"
#include "conccl/core/errors.hpp"

namespace conccl::capi {

/// Arguments are fine, but not now or not here: concclInvalidUsage.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A RunError that is a peer's doing: concclRemoteError.
class PeerError : public Error {
 public:
  using Error::Error;
};

/// The result that stands for the exception being handled; keeps its text for the calling thread.
[[nodiscard]] concclResult_t failed() noexcept;

/// What the calling thread's last failing call said.
[[nodiscard]] ErrorText& last_error_of_thread() noexcept;

/// Once per process: CONCCL_DEBUG.
void open_log();

/// Runs `body`, which returns nothing or a result.
template <typename Body>
concclResult_t guarded(Body&& body) noexcept {
  try {
    open_log();
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      std::forward<Body>(body)();
      return concclSuccess;
    } else {
      return std::forward<Body>(body)();
    }
  } catch (...) {
    return failed();
  }
}

/// Throws InputError when `pointer` is null; `what` reads "function: argument".
template <typename Pointee>
void require(const Pointee* pointer, std::string_view what) {
  if (pointer == nullptr) throw InputError(std::string(what) + " is NULL");
}

}  // namespace conccl::capi
