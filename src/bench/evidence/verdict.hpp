// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// From what was on record to what it proves. Pure.
#pragma once

#include <set>
#include <string>

#include "bench/evidence/records.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::bench {

/// What a collective has to move, over all ranks.
struct ExpectedBytes {
  Bytes peer = 0;  ///< between ranks
  Bytes own = 0;   ///< a rank's own block of an out-of-place collective
};
[[nodiscard]] ExpectedBytes expected_bytes(const plan::Request& request);

/// The verdict over all ranks' traffic and the kernels that ran beside those allowed.
///
/// Copy engines carried it when no such kernel ran, nothing went between devices on another
/// channel, and the expected bytes are on copy engines' channels. Copies without a second device on
/// record stand in for missing bytes between devices only when all of them, own blocks included,
/// were on copy engines' channels: otherwise nobody can tell which of them crossed.
[[nodiscard]] RowEvidence verdict(const Traffic& traffic, const std::set<std::string>& kernels,
                                  const ExpectedBytes& expected);

/// The same from the records of all ranks in one.
[[nodiscard]] RowEvidence verdict(const Evidence& evidence, const ExpectedBytes& expected,
                                  const std::set<std::string>& allowed_kernels);

/// For a row that no tracer looked at.
[[nodiscard]] RowEvidence no_evidence(const std::string& reason);

/// `names` without those in `allowed`.
[[nodiscard]] std::set<std::string> without(const std::set<std::string>& names,
                                            const std::set<std::string>& allowed);

/// As people read it: demangled, without template arguments and parameters.
[[nodiscard]] std::string short_kernel_name(const std::string& name);

}  // namespace conccl::bench
