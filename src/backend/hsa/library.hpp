// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The HSA runtime, opened at run time: nothing of it is linked, so that one program runs on
/// machines with and without it.
#pragma once

#include <string>
#include <vector>

#include "backend/hsa/calls.hpp"
#include "conccl/core/units.hpp"

namespace conccl::backend::hsa {

struct Library {
  std::string path;  ///< of the file it came from
  Calls calls;
  std::vector<std::string> missing;  ///< calls of `Calls` that it lacks, in that order

  [[nodiscard]] bool lacks(const std::string& call) const;
};

/// Opens the library that CONCCL_HSA names, else libhsa-runtime64.so.1, and never closes it. Throws
/// Unavailable with the reason when it cannot be opened.
[[nodiscard]] Library open_library();

/// Throws Unavailable naming them when calls are missing without which no bytes can be moved.
void demand_calls(const Library& library);
/// Why it cannot run kernels; empty: it can.
[[nodiscard]] std::string why_no_kernels(const Library& library);

/// "HSA_STATUS_ERROR_OUT_OF_RESOURCES (0x1008)", or what the runtime says of a status that is not
/// known here.
[[nodiscard]] std::string text_of(const Calls& calls, abi::hsa_status_t status);

/// What a call was about, for its error.
struct Call {
  const char* operation = "";
  int gpu = -1;     ///< -1: none
  Bytes bytes = 0;  ///< 0: not about bytes
};

/// Throws RunError with all of `call` and the status' text unless `status` is success.
void check(const Calls& calls, abi::hsa_status_t status, const Call& call);

}  // namespace conccl::backend::hsa
