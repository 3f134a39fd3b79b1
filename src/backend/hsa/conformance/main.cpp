// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "backend/hsa/conformance/bandwidth.hpp"
#include "backend/hsa/conformance/child.hpp"
#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/rows.hpp"
#include "backend/hsa/conformance/transcript.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

constexpr int kUsage = 2;
constexpr int kUnavailable = 3;
constexpr int kFailed = 4;
constexpr int kInterrupted = 130;
constexpr const char* kInterruptedText = "interrupted: what was found until then";
constexpr Bytes kMostBytes = Bytes{1} << 30;

struct Options {
  Settings settings;
  std::string library;
  std::string bytes = "1M";
  int seconds = 10;
  std::vector<std::string> only;
  std::string json;
  std::string bandwidth;  ///< largest size; empty: as the library is
  bool unsafe = false;
  bool list = false;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("--library", options.library,
                 "The HSA library; else CONCCL_HSA, else libhsa-runtime64.so.1");
  app.add_option("--gpus", options.settings.gpus, "How many GPUs take part; 0: all")
      ->check(CLI::Range(0, 64));
  app.add_option("--bytes", options.bytes, "Bytes of a copy")->capture_default_str();
  app.add_option("--deadline", options.seconds, "Seconds that one wait may take")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  app.add_option("--only", options.only, "Rows to run; --list names them");
  app.add_option("--json", options.json, "Also write the transcript to this file");
  app.add_option("--bandwidth", options.bandwidth,
                 "Largest size of the table of speeds, 0 for none; 256M, none on a double");
  app.add_option("--sys", options.settings.sys, "Where the kernel's facts are read")
      ->capture_default_str();
  app.add_flag("--unsafe", options.unsafe,
               "Also run rows that may corrupt memory or hang on a real GPU");
  app.add_flag("--list", options.list, "Name the rows and end");
}

void settle(Options& options) {
  options.settings.bytes = parse_bytes(options.bytes);
  options.settings.deadline = std::chrono::seconds(options.seconds);
  if (options.settings.bytes == 0 || options.settings.bytes > kMostBytes) {
    throw InputError(fmt::format("--bytes {}: expected 1 to 1G", options.bytes));
  }
  if (!options.bandwidth.empty()) static_cast<void>(parse_bytes(options.bandwidth));
  const auto rows = all_rows();
  for (const auto& name : options.only) {
    const bool known =
        std::any_of(rows.begin(), rows.end(), [&name](const Row& row) { return name == row.name; });
    if (!known) throw InputError(fmt::format("--only {}: no such row, see --list", name));
  }
  if (!options.library.empty()) ::setenv("CONCCL_HSA", options.library.c_str(), 1);
  demand_writable(options.json);
}

bool wanted(const Options& options, const Row& row) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), row.name) != options.only.end();
}

int list_rows() {
  for (const auto& row : all_rows()) {
    fmt::print("{:<22}{}{}\n", row.name, row.rule,
               row.danger == Danger::none ? "" : " (only with --unsafe)");
  }
  return 0;
}

void run_row(Session& session, const Row& row, bool unsafe, Transcript& transcript) {
  transcript.begin(row);
  if (row.danger != Danger::none && !unsafe) {
    transcript.end(Verdict::not_run, fmt::format("({})", row.rule));
    return;
  }
  session.forget_fault();
  try {
    session.watch().beat();
    transcript.end(Verdict::ok, row.run(session));
  } catch (const Skipped& reason) {
    transcript.end(Verdict::skipped, reason.what());
  } catch (const Stopped& reason) {
    transcript.end(Verdict::skipped, reason.what());
    throw;
  } catch (const std::exception& error) {
    transcript.end(Verdict::differs, error.what());
  }
}

void run_rows(Session& session, const Options& options, Transcript& transcript) {
  for (const auto& row : all_rows()) {
    if (wanted(options, row)) run_row(session, row, options.unsafe, transcript);
  }
  if (!options.only.empty()) return;
  for (const char* const rule : unseen_rules()) transcript.say(fmt::format("not seen: {}", rule));
}

void run_bandwidth(Session& session, const Options& options, Transcript& transcript) {
  const bool asked = !options.bandwidth.empty();
  if (!asked && !options.only.empty()) return;
  if (!asked && session.is_double()) {
    transcript.say("bandwidth: left out, the library is a double and its times mean nothing");
    return;
  }
  const Bytes most = asked ? parse_bytes(options.bandwidth) : 256 * kMiB;
  if (most == 0) return;
  if (session.is_double()) transcript.say("bandwidth: of a double, the numbers mean nothing");
  try {
    measure_bandwidth(session, most, transcript);
  } catch (const Skipped& reason) {
    transcript.say(fmt::format("bandwidth: left out: {}", reason.what()));
  }
}

/// From here on the library may hang, and the watch ends the process then.
Transcript::End examine(Session& session, const Options& options, Transcript& transcript) {
  try {
    transcript.facts(device_facts(session));
    run_rows(session, options, transcript);
    run_bandwidth(session, options, transcript);
  } catch (const Stopped&) {
    return {kInterrupted, kInterruptedText};
  } catch (const std::exception& error) {
    return {kFailed, error.what()};
  }
  return {};
}

int run(const Options& options) {
  Transcript transcript;
  Watch watch(options.settings.deadline * 3);
  watch.on_hang([&] {
    if (watch.stopped()) {
      transcript.end_open(Verdict::skipped, "interrupted while a call did not return");
      return transcript.finish({kInterrupted, kInterruptedText}, options.json);
    }
    transcript.end_open(Verdict::differs,
                        fmt::format("expected a call to return, found none after {} s",
                                    3 * options.settings.deadline.count()));
    return transcript.finish({1, "ended here: a call of the library did not return"}, options.json);
  });
  transcript.facts(machine_facts(options.settings.sys));
  std::optional<Session> session;
  try {
    Library library = open_library();
    transcript.facts(library_facts(library));
    session.emplace(std::move(library), options.settings, watch);
  } catch (const Unavailable& error) {
    return transcript.finish({kUnavailable, error.what()}, options.json);
  } catch (const std::exception& error) {
    return transcript.finish({kFailed, error.what()}, options.json);
  }
  const auto end = examine(*session, options, transcript);
  const int code = transcript.finish(end, options.json);
  session->close();
  if (session->left_behind()) std::_Exit(code);
  return code;
}

int run_tool(int argc, char** argv) {
  if (is_child(argc, argv)) return child_main(argc, argv);
  CLI::App app(
      "Tests an HSA library against what ConCCL's AMD backend relies on, and prints a\n"
      "transcript. Exit code: 0 all rows that ran are as promised, 1 some differ, 2 usage,\n"
      "3 no library or no device, 4 it could not go on, 130 interrupted.");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
    if (options.list) return list_rows();
    settle(options);
    return run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  } catch (const InputError& error) {
    fmt::print(stderr, "conccl-hsa-conformance: {}\n", error.what());
    return kUsage;
  }
}

}  // namespace
}  // namespace conccl::backend::hsa::conformance

int main(int argc, char** argv) { return conccl::backend::hsa::conformance::run_tool(argc, argv); }
