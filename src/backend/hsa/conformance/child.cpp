// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/conformance/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "backend/hsa/conformance/expect.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

constexpr const char* kFlag = "--child";
/// The flag, the job, GPUs, bytes, deadline; the job's own arguments follow.
constexpr int kFixed = 6;

std::vector<std::string> command_of(const Session& session, const ChildCall& call) {
  const auto& settings = session.settings();
  std::vector<std::string> words{"conccl-hsa-conformance",
                                 kFlag,
                                 call.job,
                                 std::to_string(settings.gpus),
                                 std::to_string(settings.bytes),
                                 std::to_string(settings.deadline.count())};
  words.insert(words.end(), call.arguments.begin(), call.arguments.end());
  return words;
}

/// Later entries of a name count less for getenv, so what is added comes first.
std::vector<std::string> environment_of(const ChildCall& call) {
  std::vector<std::string> all;
  for (const auto& [name, value] : call.environment)
    all.push_back(fmt::format("{}={}", name, value));
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& added : call.environment) replaced = replaced || added.first == name;
    if (!replaced) all.emplace_back(text);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (auto& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

/// Standard output goes to `out`; signals are as a new program expects them.
pid_t spawn(const Session& session, const ChildCall& call, int out) {
  auto words = command_of(session, call);
  auto environment = environment_of(call);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, &attributes,
                                  pointers(words).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) throw RunError(fmt::format("starting a child: {}", std::strerror(error)));
  return pid;
}

/// Reads to the end; false when that is not there in time, or the user ends the program.
bool read_all(const Session& session, int fd, std::string& text) {
  const auto until = std::chrono::steady_clock::now() + 2 * session.settings().deadline;
  while (std::chrono::steady_clock::now() < until && !session.watch().stopped()) {
    session.watch().beat();
    pollfd wanted{fd, POLLIN, 0};
    if (::poll(&wanted, 1, 50) <= 0) continue;
    std::array<char, 1024> buffer{};
    const auto count = ::read(fd, buffer.data(), buffer.size());
    if (count == 0) return true;
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return false;
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto end = text.rfind('\n');
  return one_line(end == std::string::npos ? text : text.substr(end + 1));
}

}  // namespace

ChildEnd run_child(Session& session, const ChildCall& call) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw RunError("pipe2 failed");
  const pid_t pid = spawn(session, call, ends[1]);
  ::close(ends[1]);
  ChildEnd end;
  std::string text;
  const bool ended = read_all(session, ends[0], text);
  ::close(ends[0]);
  if (!ended) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (session.watch().stopped()) throw Stopped();
  expect(ended, fmt::format("the end of a second process ({})", call.job),
         fmt::format("none after {} s", 2 * session.settings().deadline.count()));
  end.text = last_line(text);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  return end;
}

std::string child_note(Session& session, const ChildCall& call) {
  const auto end = run_child(session, call);
  if (end.signal != 0) {
    throw Differs(
        fmt::format("a second process ({}) was ended by signal {}", call.job, end.signal));
  }
  if (end.code != 0) throw Differs(fmt::format("in a second process: {}", end.text));
  return end.text;
}

bool is_child(int argc, char** argv) {
  return argc >= kFixed && std::string_view(argv[1]) == kFlag;
}

int child_main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Settings settings;
  const std::vector<std::string> arguments(argv + kFixed, argv + argc);
  try {
    settings.gpus = std::stoi(argv[3]);
    settings.bytes = std::stoull(argv[4]);
    settings.deadline = std::chrono::seconds(std::stoll(argv[5]));
    Watch watch(settings.deadline * 2);
    Session session(open_library(), settings, watch);
    const auto note = run_job(session, argv[2], arguments);
    fmt::print("{}\n", note);
    std::fflush(stdout);
    session.close();
    // What was left behind may still be used by the runtime's threads.
    if (session.left_behind()) std::_Exit(0);
    return 0;
  } catch (const std::exception& error) {
    fmt::print("{}\n", one_line(error.what()));
    std::fflush(stdout);
    std::_Exit(1);
  }
}

}  // namespace conccl::backend::hsa::conformance
