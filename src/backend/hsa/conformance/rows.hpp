// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The rows: what the runtime's sources promise, one at a time, each with random bytes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/hsa/conformance/session.hpp"

namespace conccl::backend::hsa::conformance {

/// Whether a row may be run on a real runtime without being asked for.
enum class Danger { none, corrupts_or_hangs };

struct Row {
  const char* name;
  const char* rule;  ///< what is promised
  /// Returns what else there is to say. Throws Differs, Skipped or Stopped; other errors are the
  /// library's refusals, and count as differences.
  std::string (*run)(Session& session);
  Danger danger = Danger::none;
};

[[nodiscard]] std::span<const Row> copy_rows();
[[nodiscard]] std::span<const Row> dependency_rows();
[[nodiscard]] std::span<const Row> busy_rows();
[[nodiscard]] std::span<const Row> engine_rows();
[[nodiscard]] std::span<const Row> access_rows();
[[nodiscard]] std::span<const Row> pointer_rows();
[[nodiscard]] std::span<const Row> signal_rows();
[[nodiscard]] std::span<const Row> batch_rows();
[[nodiscard]] std::span<const Row> ipc_rows();

/// In the order in which they run: the dangerous ones last.
[[nodiscard]] std::vector<Row> all_rows();

/// What the sources promise and no program can see from outside.
[[nodiscard]] std::span<const char* const> unseen_rules();

}  // namespace conccl::backend::hsa::conformance
