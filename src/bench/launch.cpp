// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/bench/launch.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"

namespace conccl::bench {

std::string_view name_of(Launch launch) {
  return launch == Launch::threads ? "threads" : "processes";
}

Launch parse_launch(std::string_view name) {
  for (const auto launch : {Launch::threads, Launch::processes}) {
    if (name == name_of(launch)) return launch;
  }
  throw InputError(fmt::format("launch: \"{}\" is not one of threads, processes", name));
}

}  // namespace conccl::bench
