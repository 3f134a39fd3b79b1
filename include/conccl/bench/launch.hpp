// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// How the ranks of a measurement are run.
#pragma once

#include <string_view>

namespace conccl::bench {

/// `threads`: one thread of this process drives all ranks. `processes`: this process is one rank of
/// a run that a launcher started (`comm::launched_by_environment`), and every process makes the
/// same calls with the same options; what one of them throws or returns, all do, but for the
/// failure of a rank itself, which the others report with its reason.
enum class Launch { threads, processes };

[[nodiscard]] std::string_view name_of(Launch launch);
/// Throws InputError listing the names.
[[nodiscard]] Launch parse_launch(std::string_view name);

}  // namespace conccl::bench
