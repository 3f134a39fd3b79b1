// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A second process: this program, started anew for one job. Never a fork without exec, since the
/// runtime does not survive that.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backend/hsa/conformance/session.hpp"

namespace conccl::backend::hsa::conformance {

struct ChildCall {
  std::string job;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  ///< beside this process's
};

struct ChildEnd {
  int code = -1;     ///< its exit code
  int signal = 0;    ///< that ended it; 0: none
  std::string text;  ///< the last line of what it said
};

/// Throws Differs when the child does not end within twice the deadline; it is killed then.
[[nodiscard]] ChildEnd run_child(Session& session, const ChildCall& call);
/// Returns what it said. Throws Differs with that unless all was well in the child.
std::string child_note(Session& session, const ChildCall& call);

/// The child's side: whether the program was called so, and the job, to the exit code.
[[nodiscard]] bool is_child(int argc, char** argv);
[[nodiscard]] int child_main(int argc, char** argv);

/// Throws InputError for a job that is not known.
[[nodiscard]] std::string run_job(Session& session, const std::string& job,
                                  const std::vector<std::string>& arguments);

}  // namespace conccl::backend::hsa::conformance
