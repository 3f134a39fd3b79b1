// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/backends.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/profile_reader.hpp"
#include "cli/progress.hpp"
#include "cli/self_launch.hpp"
#include "conccl/bench/profile.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

constexpr const char* kReferenceMachine = "mi300x";

struct ProfileCommand {
  bench::ProfileOptions options;
  std::string suite = "profile";
  std::string gemms;  ///< suites
  Bytes largest = 0;
  RankOptions ranks;
  std::string samples;
  std::string from;
  std::string out = "-";
};

/// Every GEMM of these suites, once.
std::vector<GemmSpec> gemms_of(const std::string& suites) {
  std::vector<GemmSpec> gemms;
  if (suites.empty()) return gemms;
  for (const auto& name : split_list(suites, "--gemms")) {
    for (const auto& scenario : c3::load_suite(name).scenarios) {
      const bool known = std::find(gemms.begin(), gemms.end(), scenario.gemm) != gemms.end();
      if (!known) gemms.push_back(scenario.gemm);
    }
  }
  return gemms;
}

void measure(const ProfileCommand& command, backend::Backend& backend) {
  bench::check_study(backend, command.options.study);
  std::optional<OutputFile> samples;
  std::optional<OutputFile> out;
  std::optional<Progress> progress;
  if (speaks(command.ranks)) {
    samples.emplace(command.samples);
    out.emplace(command.out);
    progress.emplace();
  }
  const InterruptScope interrupt;
  bench::Profile profile;
  bench::ProfileHooks hooks;
  hooks.interrupt = &interrupt.flag();
  hooks.progress = [&](const bench::StudyProgress& now) {
    if (progress) progress->show(now);
  };
  hooks.step_done = [&](const bench::Profile& so_far) {
    if (samples) samples->write(bench::to_json(so_far));
  };
  bench::run_profile(backend, command.options, hooks, profile);
  if (progress) progress->clear();
  if (!samples) return;
  for (const auto& skipped : profile.skipped) {
    fmt::print(stderr, "skipped {}{}: {}\n", skipped.strategy, skipped.scenario, skipped.reason);
  }
  samples->write(bench::to_json(profile));
  out->write(to_toml(bench::machine_of(profile)));
}

int fit_again(const ProfileCommand& command) {
  const OutputFile out(command.out);
  out.write(to_toml(bench::machine_of(read_profile(command.from))));
  return kOk;
}

int run_profile(const ProfileCommand& command, const Context& context) {
  if (!command.from.empty()) return fit_again(command);
  if (has_to_start_ranks(command.ranks)) {
    return start_ranks(context, command.ranks, command.options.study.ranks);
  }
  const auto opened = context.registry.open(command.ranks.backend);
  return run_as_rank(command.ranks, [&] { measure(command, *opened); });
}

/// Options of a run on devices.
void refuse_with_samples(const CLI::App& app) {
  for (const char* option : {"suite", "--gemms", "--largest", "--ranks", "--rounds", "--seed",
                             "--samples", "--backend", "--launch"}) {
    if (app.count(option) == 0) continue;
    throw InputError(fmt::format("{}: with --from nothing is run; expected it without", option));
  }
}

void resolve(const CLI::App& app, const Context& context, ProfileCommand& command) {
  if (!command.from.empty()) {
    refuse_with_samples(app);
    return;
  }
  bench::StudyOptions& study = command.options.study;
  resolve_ranks(app, context, command.ranks, study.ranks);
  study.launch = command.ranks.chosen;
  study.suite = c3::load_suite(command.suite);
  study.reference = c3::load_known_machine(kReferenceMachine);
  command.options.gemms = gemms_of(command.gemms);
  if (app.count("--largest") > 0 && command.largest < kGiB) {
    throw InputError(fmt::format("--largest: {}; expected at least 1G: scenarios have less",
                                 format_bytes(command.largest)));
  }
  for (Bytes bytes = kGiB; bytes <= command.largest; bytes *= 2) {
    command.options.sizes.push_back(bytes);
    if (bytes > command.largest / 2) break;
  }
}

}  // namespace

Command add_profile(CLI::App& tool, const Context& context) {
  auto* app = tool.add_subcommand("profile", "Measure this machine and write its machine file");
  const auto command = std::make_shared<ProfileCommand>();
  bench::StudyOptions& study = command->options.study;
  study.rounds = 5;
  app->add_option("suite", command->suite, "what to run: a suite by name, or a file")
      ->capture_default_str();
  app->add_option("--gemms", command->gemms, "suites with commas: their GEMMs too");
  add_bytes(*app, "--largest", command->largest,
            "collectives alone by powers of two from 1G on up to this");
  add_int(*app, "--ranks", study.ranks, {1, plan::kMaxRanks}, "ranks");
  add_int(*app, "--rounds", study.rounds, kAtLeastOne, "measured rounds");
  add_seed(*app, study.seed);
  app->add_option("--samples", command->samples, "write every time to a file (JSON)");
  app->add_option("--out", command->out, "the machine file (-: standard output)")
      ->capture_default_str();
  app->add_option("--from", command->from,
                  "make the machine file from such a file again; nothing is run");
  add_backend(*app, command->ranks.backend);
  add_launch(*app, command->ranks);
  return {app, [app, command, &context] {
            resolve(*app, context, *command);
            return run_profile(*command, context);
          }};
}

}  // namespace conccl::cli
