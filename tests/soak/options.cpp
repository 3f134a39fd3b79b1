// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/soak/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

#include "conccl/comm/unique_id.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::soak {
namespace {

constexpr int kUsage = 2;

void declare(CLI::App& app, SoakOptions& options, std::string& max_bytes) {
  app.add_option("--seconds", options.seconds, "how long")->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", options.seed, "what the schedule is drawn from");
  app.add_option("--epoch", options.first_epoch, "begin with this part of the schedule");
  app.add_option("--launch", options.launch, "the ranks are processes or threads")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Launch>{
          {"processes", Launch::processes}, {"threads", Launch::threads}}));
  app.add_option("--ranks", options.ranks, "how many, with --launch threads")
      ->check(CLI::Range(1, 64));
  app.add_option("--max-bytes", max_bytes, "largest output of a collective");
  app.add_option_function<int>(
         "--deadline", [&](int seconds) { options.deadline = std::chrono::seconds(seconds); },
         "seconds until a communicator that makes no progress has failed")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--spoil", options.spoil,
                 "spoil the output of the first operation from this one on, to see the check fail");
}

}  // namespace

SoakOptions parse_options(int argc, char** argv) {
  SoakOptions options;
  std::string max_bytes;
  CLI::App app("Mixed collectives with every byte checked");
  declare(app, options, max_bytes);
  try {
    app.parse(argc, argv);
    if (!max_bytes.empty()) options.max_bytes = parse_bytes(max_bytes);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : kUsage);
  }
  if (options.max_bytes < kKiB) throw InputError("--max-bytes: expected at least 1K");
  if (options.launch == Launch::processes && !comm::launched_by_environment()) {
    throw InputError("RANK is not set: start the ranks with conccl run, or say --launch threads");
  }
  return options;
}

}  // namespace conccl::soak
