// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/commands.hpp"

namespace conccl::cli {
namespace {

/// Options of `run` whose value is the next argument.
constexpr std::array<std::string_view, 4> kWithValue{"-n", "--ranks", "--grace", "--interface"};

/// Where the program stands in the arguments of `run`, which begin at `first`.
std::size_t program_start(const std::vector<std::string>& arguments, std::size_t first) {
  for (std::size_t at = first; at < arguments.size(); ++at) {
    const auto& argument = arguments[at];
    if (argument.empty() || argument[0] != '-' || argument == "--") return at;
    if (std::find(kWithValue.begin(), kWithValue.end(), argument) != kWithValue.end()) ++at;
  }
  return arguments.size();
}

}  // namespace

CommandLine read_command_line(int argc, char** argv) {
  CommandLine line;
  line.all.assign(argv, argv + argc);
  if (!line.all.empty()) line.own.assign(line.all.begin() + 1, line.all.end());
  if (line.own.empty() || line.own[0] != "run") return line;
  const auto start = static_cast<std::ptrdiff_t>(program_start(line.own, 1));
  line.program.assign(line.own.begin() + start, line.own.end());
  if (!line.program.empty() && line.program[0] == "--") line.program.erase(line.program.begin());
  line.own.erase(line.own.begin() + start, line.own.end());
  return line;
}

}  // namespace conccl::cli
