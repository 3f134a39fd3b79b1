// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/self_launch.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "cli/exit_code.hpp"
#include "cli/launcher.hpp"
#include "conccl/comm/unique_id.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::cli {
namespace {

constexpr std::string_view kAuto = "auto";

/// This program. The link itself works where the file has been replaced since.
std::string own_program() {
  std::error_code error;
  const auto path = std::filesystem::canonical("/proc/self/exe", error);
  return error ? "/proc/self/exe" : path.string();
}

/// Before any process is started, and closed again: no thread of it may be there at the fork.
void check_backend(const backend::Registry& registry, const std::string& name, int ranks) {
  const auto opened = registry.open(name);
  const int most = opened->capabilities().max_devices;
  if (ranks > most) {
    throw InputError(fmt::format("ranks: {} is not in 1 .. {}, which is what backend {} can serve",
                                 ranks, most, opened->capabilities().backend));
  }
}

/// What suits the backend; sets `ranks` too where nobody said how many.
bench::Launch choose_launch(const CLI::App& app, const Context& context, const RankOptions& options,
                            int& ranks) {
  if (comm::launched_by_environment()) return bench::Launch::processes;
  const auto opened = context.registry.open(options.backend);
  const auto& capabilities = opened->capabilities();
  if (capabilities.emulation) return bench::Launch::threads;
  if (app.count("--ranks") == 0 && capabilities.distinct_devices > 0) {
    ranks = capabilities.distinct_devices;
  }
  return bench::Launch::processes;
}

std::optional<RankEnd> end_of_rank_zero(const LaunchResult& result) {
  const auto found = std::find_if(result.ends.begin(), result.ends.end(),
                                  [](const RankEnd& end) { return end.rank == 0; });
  return found == result.ends.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

void add_launch(CLI::App& app, RankOptions& options) {
  app.add_option("--launch", options.launch,
                 "ranks as threads of one process, or as processes; auto: processes on GPUs")
      ->capture_default_str();
}

void resolve_ranks(const CLI::App& app, const Context& context, RankOptions& options, int& ranks) {
  options.chosen = options.launch == kAuto ? choose_launch(app, context, options, ranks)
                                           : bench::parse_launch(options.launch);
  if (options.chosen == bench::Launch::threads || has_to_start_ranks(options)) return;
  const int here = comm::place_from_environment().ranks;
  if (app.count("--ranks") > 0 && ranks != here) {
    throw InputError(fmt::format(
        "--ranks: {} is not WORLD_SIZE, the {} ranks of this run; leave it out", ranks, here));
  }
  ranks = here;
}

bool has_to_start_ranks(const RankOptions& options) {
  return options.chosen == bench::Launch::processes && !comm::launched_by_environment();
}

int start_ranks(const Context& context, const RankOptions& options, int ranks) {
  check_backend(context.registry, options.backend, ranks);
  LaunchOptions launching;
  launching.command = context.line.all;
  launching.command.at(0) = own_program();
  launching.ranks = ranks;
  const LaunchResult result = launch(launching);
  const auto failure = result.first_failure();
  if (!failure) return kOk;
  const auto zero = end_of_rank_zero(result);
  if (zero && zero->kind == RankEnd::Kind::exited && zero->failed()) return zero->value;
  if (result.signal == SIGINT) throw Interrupted("interrupted");
  throw RunError(text_of(*failure));
}

bool speaks(const RankOptions& options) {
  return options.chosen == bench::Launch::threads || comm::place_from_environment().rank == 0;
}

int run_as_rank(const RankOptions& options, const std::function<void()>& work) {
  if (speaks(options)) {
    work();
    return kOk;
  }
  set_log_sink({});
  try {
    work();
    return kOk;
  } catch (const std::exception& error) {
    return static_cast<int>(exit_code_of(error));
  }
}

}  // namespace conccl::cli
