// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/rank_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "conccl/core/descriptor.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

/// What the child needs, ready before the fork: between fork and exec nothing may be allocated.
struct Prepared {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::array<int, 3> streams{};
  sigset_t blocked{};
  pid_t parent = 0;
  int report = -1;  ///< gets errno when exec fails; closes when it does not
};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  // exec() takes pointers to char that it does not write to.
  for (const auto& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

[[noreturn]] void give_up(int report) {
  const int reason = errno;
  [[maybe_unused]] const auto written = ::write(report, &reason, sizeof(reason));
  ::_exit(127);
}

/// Duplicates also lose the close-on-exec mark, which dup2() onto itself would keep.
void take_stream(int from, int to, int report) {
  if (from < 0) return;
  if (from == to ? ::fcntl(to, F_SETFD, 0) != 0 : ::dup2(from, to) < 0) give_up(report);
}

/// Runs in the child. Only async-signal-safe calls: the parent may have had threads.
[[noreturn]] void become(const Prepared& prepared) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before the kernel was told to watch it.
  if (::getppid() != prepared.parent) ::_exit(127);
  for (int stream = 0; stream < 3; ++stream) {
    take_stream(prepared.streams[static_cast<std::size_t>(stream)], stream, prepared.report);
  }
  ::pthread_sigmask(SIG_SETMASK, &prepared.blocked, nullptr);
  ::execvpe(prepared.arguments[0], prepared.arguments.data(), prepared.environment.data());
  give_up(prepared.report);
}

/// Zero: the program runs.
int exec_error(const FileDescriptor& report) {
  int reason = 0;
  ssize_t count = 0;
  do {
    count = ::read(report.get(), &reason, sizeof(reason));
  } while (count < 0 && errno == EINTR);
  return count == sizeof(reason) ? reason : 0;
}

[[noreturn]] void refuse(const std::string& program, int reason) {
  const auto text = fmt::format("cannot run \"{}\": {}", program, std::strerror(reason));
  if (reason == ENOMEM || reason == EAGAIN || reason == EMFILE || reason == ENFILE) {
    throw RunError(text);
  }
  throw InputError(text);
}

FileDescriptor null_input() {
  FileDescriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null) throw RunError(fmt::format("cannot open /dev/null: {}", std::strerror(errno)));
  return null;
}

}  // namespace

pid_t start_process(const ProcessSpec& spec) {
  const FileDescriptor null = spec.input < 0 ? null_input() : FileDescriptor();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse(spec.command.at(0), errno);
  const FileDescriptor report(ends[0]);
  FileDescriptor report_end(ends[1]);
  const Prepared prepared{pointers(spec.command),
                          pointers(spec.environment),
                          {spec.input < 0 ? null.get() : spec.input, spec.output, spec.error},
                          spec.blocked,
                          ::getpid(),
                          report_end.get()};
  const pid_t pid = ::fork();
  if (pid == 0) become(prepared);
  if (pid < 0) refuse(spec.command[0], errno);
  // Both sides do it, so that it is done whoever comes first.
  ::setpgid(pid, pid);
  report_end = {};
  const int reason = exec_error(report);
  if (reason == 0) return pid;
  ::waitpid(pid, nullptr, 0);
  refuse(spec.command[0], reason);
}

RankEnd rank_end(int rank, pid_t pid, int status) {
  if (WIFSIGNALED(status)) return {rank, pid, RankEnd::Kind::signalled, WTERMSIG(status)};
  return {rank, pid, RankEnd::Kind::exited, WEXITSTATUS(status)};
}

std::string text_of(const RankEnd& end) {
  if (end.kind == RankEnd::Kind::signalled) {
    return fmt::format("rank {} (process {}) was ended by signal {} ({})", end.rank, end.pid,
                       end.value, ::strsignal(end.value));
  }
  return fmt::format("rank {} (process {}) exited with {}", end.rank, end.pid, end.value);
}

}  // namespace conccl::cli
