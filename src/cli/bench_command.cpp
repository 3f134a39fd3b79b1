// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

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

constexpr std::string_view kPeersAuto = "auto";
constexpr std::string_view kPeersNone = "none";

struct BenchCommand {
  bench::CollectiveBenchOptions options;
  std::string collective;
  std::string type = "float";
  std::string policy = "auto";
  std::string direction = "push";
  std::string methods{bench::name_of(bench::CallMethod::stream)};
  std::string peers{kPeersAuto};
  bool copies = false;
  bool enqueue = false;
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
    fmt::print(table_, "{}", bench::bench_head(command_.options, run));
    std::fflush(table_);
  }
  void row(const bench::BenchRun& run) const {
    fmt::print(table_, "{}", bench::bench_row(command_.options, run, run.lines.back()));
    std::fflush(table_);
  }
  void foot(const bench::BenchRun& run) const {
    fmt::print(table_, "{}", bench::bench_foot(command_.options, run));
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
  const InterruptScope interrupt;
  bench::BenchHooks hooks;
  hooks.interrupt = &interrupt.flag();
  if (screen) {
    hooks.started = [&](const bench::BenchRun& started) { screen->head(started); };
    hooks.line_done = [&](const bench::BenchRun& so_far) { screen->row(so_far); };
  }
  bench::BenchRun run;
  try {
    bench::run_collective_bench(backend, command.options, hooks, run);
  } catch (const InputError&) {
    throw;
  } catch (const Unavailable&) {
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

std::vector<bench::CallMethod> parse_methods(const std::string& text) {
  std::vector<bench::CallMethod> methods;
  for (const auto& name : split_list(text, "--method")) {
    methods.push_back(bench::parse_call_method(name));
  }
  return methods;
}

/// nullopt: all that can run.
std::optional<std::vector<std::string>> parse_peers(const std::string& text) {
  if (text == kPeersAuto) return std::nullopt;
  if (text == kPeersNone) return std::vector<std::string>{};
  return split_list(text, "--peers");
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
  options.methods = parse_methods(command.methods);
  options.peers = parse_peers(command.peers);
  if (command.copies) options.copies = bench::Wanted::yes;
  if (command.enqueue) options.enqueue = bench::Wanted::yes;
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
  add_int(app, "-n,--iters", options.iterations, kAtLeastOne, "timed iterations in a round");
  add_int(app, "--rounds", options.rounds, kAtLeastOne, "rounds, each of every configuration");
  add_int(app, "-w,--warmup_iters", options.warmup, kAnyCount, "warm-up iterations per size");
  add_int(app, "-c,--check", options.checks, kAnyCount, "checked iterations per size; 0: none");
  add_int(app, "-T,--timeout", command.timeout_s, {1, 86'400},
          "seconds until a rank counts as lost");
  add_seed(app, options.seed);
}

void add_subjects(CLI::App& app, BenchCommand& command) {
  app.add_option("--method", command.methods,
                 "host: each call waited for; stream: back to back; graph: captured and replayed; "
                 "or several with commas")
      ->capture_default_str();
  app.add_option("--peers", command.peers,
                 "other libraries beside ours: auto, none, or names with commas (nccl, nccl_ce)")
      ->capture_default_str();
  app.add_flag("--copy", command.copies, "bare copies of the same bytes as a yardstick");
  app.add_flag("--enqueue", command.enqueue, "also what it costs a thread to enqueue a call");
}

}  // namespace

Command add_bench(CLI::App& tool, const Context& context) {
  auto* app = tool.add_subcommand("bench", "Time one collective over sizes, as nccl-tests does");
  const auto command = std::make_shared<BenchCommand>();
  app->add_option("collective", command->collective, "all_gather or all_to_all")->required();
  add_sizes(*app, *command);
  add_rounds(*app, *command);
  add_subjects(*app, *command);
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
