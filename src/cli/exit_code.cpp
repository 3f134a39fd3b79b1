// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/exit_code.hpp"

#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

template <typename Type>
bool is_a(const std::exception& error) noexcept {
  return dynamic_cast<const Type*>(&error) != nullptr;
}

}  // namespace

ExitCode exit_code_of(const std::exception& error) noexcept {
  if (is_a<InputError>(error)) return ExitCode::usage;
  if (is_a<CheckFailed>(error)) return ExitCode::check_failed;
  if (is_a<Unavailable>(error)) return ExitCode::unavailable;
  if (is_a<Interrupted>(error)) return ExitCode::interrupted;
  return ExitCode::run_failed;
}

}  // namespace conccl::cli
