// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "cli/backends.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/self_launch.hpp"
#include "conccl/bench/collective_bench.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

struct BenchCommand {
  bench::CollectiveBenchOptions options;
  std::string collective;
  std::string type = "float";
  std::string policy = "auto";
  std::string direction = "push";
  RankOptions ranks;
  std::string json;
  Bytes increment = 0;
  int timeout_s = 30;
};

/// The table as it grows, and the file.
class Screen {
 public:
  explicit Screen(const BenchCommand& command)
      : command_(command), json_(command.json), table_(json_.table_stream()) {}

  void head(const bench::BenchRun& run) const {
    if (run.emulation) fmt::print(table_, "# host emulation: shows function, not hardware\n");
    fmt::print(table_, "{}", bench::bench_head(command_.options));
  }
  void row(const bench::BenchLine& line) const {
    fmt::print(table_, "{}", bench::bench_row(command_.options, line));
    std::fflush(table_);
  }
  void foot(const bench::BenchRun& run) const {
    fmt::print(table_, "{}", bench::bench_foot(run.lines));
    json_.write(bench::bench_json(command_.options, run));
  }

 private:
  const BenchCommand& command_;
  OutputFile json_;
  std::FILE* table_;
};

void measure(const BenchCommand& command, backend::Backend& backend) {
  const auto screen =
      speaks(command.ranks) ? std::optional<Screen>(std::in_place, command) : std::nullopt;
  bench::BenchRun run{backend.machine().name, backend.capabilities().emulation, true, {}};
  if (screen) screen->head(run);
  const InterruptScope interrupt;
  const auto line = [&](const bench::BenchLine& done) {
    run.lines.push_back(done);
    if (screen) screen->row(done);
  };
  try {
    static_cast<void>(
        bench::run_collective_bench(backend, command.options, line, &interrupt.flag()));
    run.partial = false;
  } catch (const InputError&) {
    throw;
  } catch (const Error&) {
    if (screen) screen->foot(run);
    throw;
  }
  if (screen) screen->foot(run);
}

int run_bench(const BenchCommand& command, const Context& context) {
  if (has_to_start_ranks(command.ranks)) {
    return start_ranks(context, command.ranks, command.options.ranks);
  }
  const auto opened = context.registry.open(command.ranks.backend);
  return run_as_rank(command.ranks, [&] { measure(command, *opened); });
}

/// Words of the command line as values.
void resolve(const CLI::App& app, const Context& context, BenchCommand& command) {
  auto& options = command.options;
  resolve_ranks(app, context, command.ranks, options.ranks);
  options.launch = command.ranks.chosen;
  options.collective = plan::parse_collective(command.collective);
  options.type = parse_data_type(command.type);
  options.policy = comm::parse_policy(command.policy);
  options.direction = parse_direction(command.direction);
  options.deadline = std::chrono::seconds(command.timeout_s);
  options.step_bytes = command.increment;
  // As nccl-tests: an increment counts unless a factor was asked for.
  if (command.increment > 0 && app.count("--stepfactor") == 0) options.factor = 0;
}

void add_sizes(CLI::App& app, BenchCommand& command) {
  auto& options = command.options;
  add_bytes(app, "-b,--minbytes", options.min_bytes, "smallest size");
  add_bytes(app, "-e,--maxbytes", options.max_bytes, "largest size");
  add_bytes(app, "-i,--stepbytes", command.increment,
            "increment between sizes, instead of a factor");
  add_int(app, "-f,--stepfactor", options.factor, {2, 1024}, "factor between sizes");
}

void add_rounds(CLI::App& app, BenchCommand& command) {
  auto& options = command.options;
  add_int(app, "-g,--ngpus,--ranks", options.ranks, {1, plan::kMaxRanks}, "ranks");
  add_int(app, "-n,--iters", options.iterations, kAtLeastOne, "timed iterations");
  add_int(app, "-w,--warmup_iters", options.warmup, kAnyCount, "warm-up iterations");
  add_int(app, "-c,--check", options.checks, kAnyCount, "checked iterations per size; 0: none");
  add_int(app, "-T,--timeout", command.timeout_s, {1, 86'400},
          "seconds until a rank counts as lost");
  add_seed(app, options.seed);
}

}  // namespace

Command add_bench(CLI::App& tool, const Context& context) {
  auto* app = tool.add_subcommand("bench", "Time one collective over sizes, as nccl-tests does");
  const auto command = std::make_shared<BenchCommand>();
  app->add_option("collective", command->collective, "all_gather or all_to_all")->required();
  add_sizes(*app, *command);
  add_rounds(*app, *command);
  app->add_option("-d,--datatype", command->type, "element type")->capture_default_str();
  app->add_option("--policy", command->policy, "auto, dma or compute")->capture_default_str();
  app->add_option("--direction", command->direction, "push or pull")->capture_default_str();
  add_backend(*app, command->ranks.backend);
  add_launch(*app, command->ranks);
  app->add_option("--json", command->json, "write the results to a file (-: standard output)");
  return {app, [app, command, &context] {
            resolve(*app, context, *command);
            return run_bench(*command, context);
          }};
}

}  // namespace conccl::cli
