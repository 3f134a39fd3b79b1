// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "cli/backends.hpp"
#include "cli/c3_predict.hpp"
#include "cli/c3_screen.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/self_launch.hpp"
#include "conccl/bench/study.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

/// Whose t_comm / t_gemm an emulated scenario keeps.
constexpr const char* kReferenceMachine = "mi300x";
constexpr std::string_view kAuto = "auto";
constexpr std::string_view kNone = "none";

struct C3Command {
  bench::StudyOptions study;
  std::string suite = "llama";
  RankOptions ranks;
  std::string machine;
  std::vector<std::string> settings;  ///< of that machine
  std::string gemm;
  std::string gemm_type = std::string(name_of(GemmType::bf16));
  std::string collective;
  Bytes bytes = 0;
  std::string strategies;
  std::string peers = std::string(kAuto);
  std::string evidence = std::string(kAuto);
  std::string attribution = std::string(kAuto);
  double sustained_s = 0;
  ReportFiles files;
};

/// Whether `option` is "auto" (true) or "none".
bool parse_auto(std::string_view option, const std::string& text) {
  if (text == kAuto || text == kNone) return text == kAuto;
  throw InputError(fmt::format("{}: '{}', expected {} or {}", option, text, kAuto, kNone));
}

/// The options of a scenario given on the command line.
enum class Given { none, some, all };

Given scenario_options(const CLI::App& app) {
  const auto count = (app.count("--gemm") > 0 ? 1 : 0) + (app.count("--collective") > 0 ? 1 : 0) +
                     (app.count("--bytes") > 0 ? 1 : 0);
  return count == 0 ? Given::none : count == 3 ? Given::all : Given::some;
}

/// Goes through a suite's text, so that it is checked and hashed like one.
c3::Suite one_scenario(const C3Command& command) {
  const auto shape = to_string(parse_gemm_shape(command.gemm));
  const auto type = name_of(parse_gemm_type(command.gemm_type));
  const auto collective = plan::name_of(plan::parse_collective(command.collective));
  return c3::parse_suite(
      fmt::format("schema = \"conccl.suite/1\"\nname = \"command_line\"\ntype = \"{3}\"\n"
                  "[[scenario]]\nname = \"{0}\"\ngemm = \"{0}\"\ncollectives = [\"{1}\"]\n"
                  "bytes = \"{2}\"\nsource = \"command line\"\n",
                  shape, collective, command.bytes, type),
      "command line");
}

c3::Suite suite_of(const CLI::App& app, const C3Command& command) {
  const Given given = scenario_options(app);
  if (given == Given::some) {
    throw InputError("--gemm, --collective and --bytes make one scenario; expected all or none");
  }
  if (given == Given::none && app.count("--gemm-type") > 0) {
    throw InputError("--gemm-type: expected with --gemm; a suite names its types");
  }
  if (given == Given::none) return c3::load_suite(command.suite);
  if (app.count("suite") > 0) {
    throw InputError("expected a suite, or --gemm, --collective and --bytes; found both");
  }
  return one_scenario(command);
}

void resolve_strategies(const CLI::App& app, C3Command& command) {
  if (app.count("--strategies") > 0) {
    command.study.strategies = split_list(command.strategies, "--strategies");
  }
  std::set<std::string> found;
  for (const auto& name : command.study.strategies) {
    static_cast<void>(c3::find_strategy(name));
    if (!found.insert(name).second) {
      throw InputError(fmt::format("--strategies: {} is there twice; expected once", name));
    }
  }
}

/// Options of a run on devices, which a prediction has no use for.
void refuse_with_machine(const CLI::App& app) {
  for (const char* option :
       {"--backend", "--ranks", "--rounds", "--warmup", "--sweep-rounds", "--seed", "--launch",
        "--rest", "--sustained", "--peers", "--evidence", "--attribution"}) {
    if (app.count(option) > 0) {
      throw InputError(
          fmt::format("{}: with --machine nothing is run; expected it without", option));
    }
  }
}

/// Files that would be written over one another.
void check_files(const ReportFiles& files) {
  std::set<std::string> names;
  for (const auto& [option, name] : {std::pair("--json", files.json), std::pair("--csv", files.csv),
                                     std::pair("--trace", files.trace)}) {
    if (name.empty() || names.insert(name).second) continue;
    throw InputError(
        fmt::format("{}: {} is another option's file; expected one of its own", option, name));
  }
}

void resolve(const CLI::App& app, const Context& context, C3Command& command) {
  check_files(command.files);
  if (!command.machine.empty()) {
    refuse_with_machine(app);
    command.study.suite = suite_of(app, command);
    resolve_strategies(app, command);
    return;
  }
  if (!command.settings.empty()) throw InputError("--set: expected with --machine");
  resolve_ranks(app, context, command.ranks, command.study.ranks);
  command.study.launch = command.ranks.chosen;
  command.study.peers = parse_auto("--peers", command.peers) ? bench::PeerPolicy::if_present
                                                             : bench::PeerPolicy::none;
  command.study.evidence = parse_auto("--evidence", command.evidence)
                               ? bench::EvidencePolicy::if_present
                               : bench::EvidencePolicy::none;
  command.study.attribution = parse_auto("--attribution", command.attribution)
                                  ? bench::AttributionPolicy::if_lost
                                  : bench::AttributionPolicy::none;
  if (!std::isfinite(command.sustained_s)) {
    throw InputError("--sustained: expected a number of seconds from 0 to 3600");
  }
  command.study.sustained = Seconds(command.sustained_s);
  if (!command.files.trace.empty()) command.study.trace = bench::TracePolicy::record;
  command.study.suite = suite_of(app, command);
  if (scenario_options(app) == Given::all) command.study.sizes = bench::SizePolicy::as_given;
  command.study.reference = c3::load_known_machine(kReferenceMachine);
  resolve_strategies(app, command);
}

void measure(const C3Command& command, backend::Backend& backend) {
  bench::check_study(backend, command.study);
  std::optional<StudyScreen> screen;
  if (speaks(command.ranks)) screen.emplace(command.files);
  const InterruptScope interrupt;
  bench::Report report;
  bench::StudyHooks hooks;
  hooks.interrupt = &interrupt.flag();
  hooks.progress = [&](const bench::StudyProgress& progress) {
    if (screen) screen->show(progress, report);
  };
  hooks.scenario_done = [&](const bench::Report& so_far, const std::vector<bench::Result>& done) {
    if (screen) screen->row(so_far, done);
  };
  try {
    bench::run_study(backend, command.study, hooks, report);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception&) {
    if (screen) screen->foot(report);
    throw;
  }
  if (screen) screen->foot(report);
}

int run_c3(const C3Command& command, const Context& context) {
  if (!command.machine.empty()) {
    return predict({command.machine, command.settings, command.study, command.files});
  }
  if (has_to_start_ranks(command.ranks)) {
    return start_ranks(context, command.ranks, command.study.ranks);
  }
  const auto opened = context.registry.open(command.ranks.backend);
  return run_as_rank(command.ranks, [&] { measure(command, *opened); });
}

void add_scenario(CLI::App& app, C3Command& command) {
  app.add_option("suite", command.suite, "a suite by name, or a file")->capture_default_str();
  app.add_option("--gemm", command.gemm, "MxNxK: one scenario instead of a suite");
  app.add_option("--gemm-type", command.gemm_type, "of that GEMM: bf16, fp16, fp8 or fp32")
      ->capture_default_str();
  app.add_option("--collective", command.collective, "of that scenario");
  add_bytes(app, "--bytes", command.bytes, "of that collective, as nccl-tests count them");
}

void add_rounds(CLI::App& app, bench::StudyOptions& study) {
  add_int(app, "--ranks", study.ranks, {1, plan::kMaxRanks}, "ranks");
  add_int(app, "--rounds", study.rounds, kAtLeastOne, "measured rounds");
  add_int(app, "--warmup", study.warmup, kAnyCount, "rounds before them");
  add_int(app, "--sweep-rounds", study.sweep_rounds, kAtLeastOne,
          "rounds that choose how many units to give up or split off");
  add_seed(app, study.seed);
}

}  // namespace

Command add_c3(CLI::App& tool, const Context& context) {
  auto* app = tool.add_subcommand("c3", "Measure how a GEMM and a collective overlap");
  const auto command = std::make_shared<C3Command>();
  add_scenario(*app, *command);
  add_rounds(*app, command->study);
  app->add_option("--strategies", command->strategies, "names with commas; without it, all");
  app->add_option("--peers", command->peers,
                  "auto: other libraries' collectives where they can run; none")
      ->capture_default_str();
  app->add_option("--evidence", command->evidence,
                  "auto: the vendor's tracer looks at each configuration once; none")
      ->capture_default_str();
  app->add_option("--attribution", command->attribution,
                  "auto: what is lost on DMA engines is attributed to causes; none")
      ->capture_default_str();
  app->add_option("--rest", command->study.rest,
                  "let the devices rest after each run, so many times as long as it took")
      ->capture_default_str()
      ->check(CLI::Range(0.0, bench::kLongestRest));
  app->add_option(
         "--sustained", command->sustained_s,
         "also run the GEMM, the collective and each strategy on DMA engines back to back, "
         "so many seconds (2 without a number)")
      ->expected(0, 1)
      ->default_str("2")
      ->check(CLI::Range(0.0, 3600.0));
  app->add_option("--trace", command->files.trace,
                  "write a timeline of each configuration (Perfetto)");
  add_backend(*app, command->ranks.backend);
  add_launch(*app, command->ranks);
  app->add_option(
      "--machine", command->machine,
      "predict for a machine, by name or of a file, with the model of contention; nothing is run");
  app->add_option("--set", command->settings,
                  "FIELD=VALUE of that machine, as in its file: what if");
  app->add_option("--json", command->files.json, "write the report to a file (-: standard output)");
  app->add_option("--csv", command->files.csv,
                  "one line per result to a file (-: standard output)");
  return {app, [app, command, &context] {
            resolve(*app, context, *command);
            return run_c3(*command, context);
          }};
}

}  // namespace conccl::cli
