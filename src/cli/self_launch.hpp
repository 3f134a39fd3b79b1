// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `--launch`: the tool as several processes, one per rank.
#pragma once

#include <CLI/App.hpp>
#include <chrono>
#include <functional>
#include <string>

#include "cli/commands.hpp"
#include "conccl/bench/launch.hpp"

namespace conccl::cli {

/// What the command line says about ranks.
struct RankOptions {
  std::string launch = "auto";
  std::string backend;
  bench::Launch chosen = bench::Launch::threads;
};

/// Adds --launch.
void add_launch(CLI::App& app, RankOptions& options);

/// Reads --launch: "auto" is processes where the backend is hardware, with a rank per device unless
/// --ranks was given, and threads where it is an emulation. In a process that a launcher started as
/// a rank, sets `ranks` to WORLD_SIZE. Throws InputError when --ranks was given and is another
/// number, and as `Registry::open`.
void resolve_ranks(const CLI::App& app, const Context& context, RankOptions& options, int& ranks);

/// True for `--launch processes` outside a run: this process has to start the ranks.
[[nodiscard]] bool has_to_start_ranks(const RankOptions& options);

/// Starts the tool again with the same arguments as `ranks` processes and waits for them: what the
/// tool exits with, as rank 0 has it. Throws as `launch`, InputError when the backend cannot serve
/// so many, RunError when a rank was lost and rank 0 cannot tell.
[[nodiscard]] int start_ranks(const Context& context, const RankOptions& options, int ranks);

/// True for the process that prints and writes files: rank 0, or the one with all ranks as threads.
[[nodiscard]] bool speaks(const RankOptions& options);

/// Runs what every rank runs alike, and returns what the tool exits with. Only the process that
/// speaks lets errors and log lines out; the others have the same to say.
[[nodiscard]] int run_as_rank(const RankOptions& options, const std::function<void()>& work);

}  // namespace conccl::cli
