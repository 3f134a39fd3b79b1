// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Suites: the scenarios a study runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/core/gemm_shape.hpp"
#include "conccl/core/machine.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::c3 {

/// One GEMM with one collective. Exactly one of `bytes`, `bytes_per_rank` and `ratio` is given.
struct Scenario {
  std::string name;
  GemmSpec gemm;
  plan::Collective collective = plan::Collective::all_gather;
  std::optional<Bytes> bytes;           ///< of the collective, as nccl-tests count them
  std::optional<Bytes> bytes_per_rank;  ///< those bytes over the number of ranks
  std::optional<double> ratio;          ///< baseline t_comm / t_gemm that bytes are chosen to give
  std::string source;                   ///< where shape and size come from
};

struct Suite {
  std::string name;
  GemmType type = GemmType::bf16;  ///< of scenarios that name none
  std::vector<Scenario> scenarios;
  /// 16 hex digits of the content that matters: not of comments, sources or the order of keys.
  std::string hash;
};

/// Reads a suite file (schema "conccl.suite/1"; docs/measuring.md shows one); `name` is what errors
/// call it. Names hold letters, digits, '_', '.' and '-' only. A scenario with
/// several collectives becomes several entries. Throws InputError with line and column for
/// malformed TOML, an unknown or missing field, an unknown collective or type, a bad shape or size,
/// none or two of the fields that give the size, a ratio that is not positive, a name used twice,
/// no scenarios.
[[nodiscard]] Suite parse_suite(std::string_view toml, std::string_view name);

/// `name_or_path`: the name of a suite that comes with the library ("llama", "profile", "small"),
/// or a path to a file. Throws InputError naming the known suites when it is neither.
[[nodiscard]] Suite load_suite(const std::string& name_or_path);

/// A machine that comes with the library ("h200x2", "h200x8", "mi300x"), or a path to a machine
/// file. Throws InputError naming the known machines when it is neither.
[[nodiscard]] Machine load_known_machine(const std::string& name_or_path);

/// The bytes of the scenario's collective among `ranks`, as nccl-tests count them; none where its
/// ratio chooses them. Throws InputError for more than 2^63 - 1 bytes.
[[nodiscard]] std::optional<Bytes> bytes_among(const Scenario& scenario, int ranks);

/// The baseline `t_comm / t_gemm` of a scenario: its ratio, or what the machine's roofline and
/// baseline collective give for its bytes among the machine's devices.
[[nodiscard]] double ratio_on(const Machine& machine, const Scenario& scenario);

}  // namespace conccl::c3
