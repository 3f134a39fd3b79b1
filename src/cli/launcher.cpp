// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/launcher.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "cli/launch_environment.hpp"
#include "cli/line_tagger.hpp"
#include "cli/signal_source.hpp"
#include "cli/terminal_input.hpp"
#include "conccl/core/log.hpp"

namespace conccl::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// How often to look whether the terminal is this group's again.
constexpr std::chrono::milliseconds kIdlePeriod{1000};

/// One run.
class Launcher {
 public:
  explicit Launcher(const LaunchOptions& options) : options_(options) {}
  ~Launcher() { kill_all(SIGKILL); }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  LaunchResult run();

 private:
  /// What happens to the ranks that still run, and when the next stage begins.
  enum class Stage { undisturbed, grace, asked, killed };

  void start();
  void wait_for_something() const;
  void handle_signals();
  void pass_on(int signal);
  void reap();
  void advance();
  void enter(Stage stage, std::chrono::seconds until_next);
  void kill_all(int signal) const noexcept;

  const LaunchOptions& options_;
  SignalSource signals_;
  LineTagger tagger_;
  TerminalInput input_;
  std::map<pid_t, int> running_;  ///< rank by process
  Stage stage_ = Stage::undisturbed;
  Clock::time_point next_stage_{};
  LaunchResult result_;
};

LaunchResult Launcher::run() {
  start();
  while (!running_.empty()) {
    wait_for_something();
    handle_signals();
    input_.forward();
    tagger_.forward();
    reap();
    advance();
  }
  tagger_.finish();
  return result_;
}

void Launcher::start() {
  const comm::RunMeeting meeting = comm::new_run(options_.interface);
  for (int rank = 0; rank < options_.ranks; ++rank) {
    ProcessSpec spec{options_.command,
                     environment_of_rank(meeting, options_.interface, rank, options_.ranks)};
    spec.blocked = signals_.blocked_before();
    FileDescriptor output;
    FileDescriptor error;
    if (options_.output == OutputStyle::tagged) {
      output = tagger_.open(rank, STDOUT_FILENO);
      error = tagger_.open(rank, STDERR_FILENO);
    }
    spec.input = rank == 0 ? input_.for_rank_zero() : -1;
    spec.output = output.get();
    spec.error = error.get();
    running_[start_process(spec)] = rank;
  }
  input_.rank_has_it();
}

void Launcher::wait_for_something() const {
  std::vector<pollfd> wanted{{signals_.descriptor(), POLLIN, 0}};
  tagger_.add_to(wanted);
  input_.add_to(wanted);
  auto limit = kIdlePeriod;
  if (stage_ == Stage::grace || stage_ == Stage::asked) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_stage_ - Clock::now());
    limit = std::clamp(left, std::chrono::milliseconds(0), kIdlePeriod);
  }
  static_cast<void>(::poll(wanted.data(), wanted.size(), static_cast<int>(limit.count())));
}

void Launcher::handle_signals() {
  while (const auto signal = signals_.next()) {
    if (*signal != SIGCHLD) pass_on(*signal);
  }
}

void Launcher::pass_on(int signal) {
  if (result_.signal != 0) {
    enter(Stage::killed, {});
    kill_all(SIGKILL);
    return;
  }
  result_.signal = signal;
  kill_all(signal);
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

void Launcher::reap() {
  std::vector<RankEnd> ended;
  for (const auto& [pid, rank] : running_) {
    if (!has_ended(pid)) continue;
    // What the rank has started goes with it; its number is still its own.
    ::kill(-pid, SIGTERM);
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) ended.push_back(rank_end(rank, pid, status));
  }
  for (const auto& end : ended) {
    running_.erase(end.pid);
    result_.ends.push_back(end);
    const bool signalled = result_.signal != 0 || stage_ > Stage::grace;
    if (!signalled) result_.on_their_own = result_.ends.size();
    if (end.failed() && stage_ == Stage::undisturbed) enter(Stage::grace, options_.grace);
  }
}

void Launcher::advance() {
  if (running_.empty() || Clock::now() < next_stage_) return;
  if (stage_ == Stage::grace) {
    log(LogLevel::warning,
        fmt::format("{} of {} ranks still run {} s after {}; ending them", running_.size(),
                    options_.ranks, options_.grace.count(), text_of(*result_.first_failure())));
    enter(Stage::asked, kLastWords);
    kill_all(SIGTERM);
  } else if (stage_ == Stage::asked) {
    enter(Stage::killed, {});
    kill_all(SIGKILL);
  }
}

void Launcher::enter(Stage stage, std::chrono::seconds until_next) {
  stage_ = stage;
  next_stage_ = Clock::now() + until_next;
}

void Launcher::kill_all(int signal) const noexcept {
  // The group: what a rank has started goes with it.
  for (const auto& [pid, rank] : running_) ::kill(-pid, signal);
}

}  // namespace

std::optional<RankEnd> LaunchResult::first_failure() const {
  const auto unasked = ends.begin() + static_cast<std::ptrdiff_t>(on_their_own);
  const auto cause = std::find_if(ends.begin(), unasked, [](const RankEnd& end) {
    return end.kind == RankEnd::Kind::signalled;
  });
  if (cause != unasked) return *cause;
  const auto found =
      std::find_if(ends.begin(), ends.end(), [](const RankEnd& end) { return end.failed(); });
  return found == ends.end() ? std::nullopt : std::optional(*found);
}

LaunchResult launch(const LaunchOptions& options) { return Launcher(options).run(); }

}  // namespace conccl::cli
