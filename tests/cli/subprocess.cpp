// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace conccl::test {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(what + ": " + std::strerror(error));
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe2", errno);
  return ends;
}

std::vector<std::string> environment_of(const Invocation& invocation) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  for (const auto& [name, value] : invocation.environment) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (auto& text : strings) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

/// The standard input, in memory.
int input_file(const std::string& text) {
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  if (file < 0) fail("memfd_create", errno);
  if (::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fail("write", errno);
  }
  ::lseek(file, 0, SEEK_SET);
  return file;
}

pid_t spawn(const Invocation& invocation, int out, int err) {
  std::vector<std::string> arguments{invocation.program};
  arguments.insert(arguments.end(), invocation.arguments.begin(), invocation.arguments.end());
  auto environment = environment_of(invocation);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  const int in = input_file(invocation.input);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, invocation.program.c_str(), &actions, nullptr,
                                  pointers(arguments).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(in);
  if (error != 0) fail(invocation.program, error);
  return pid;
}

/// Appends what is there; false at the end, when the descriptor is closed and becomes -1.
void drain(int& fd, std::string& text) {
  std::array<char, 4096> buffer{};
  const auto count = ::read(fd, buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    ::close(fd);
    fd = -1;
  }
}

bool has_line(const std::string& text, const std::vector<std::string>& words) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line) && !lines.eof()) {
    if (std::all_of(words.begin(), words.end(), [&line](const std::string& word) {
          return line.find(word) != std::string::npos;
        })) {
      return true;
    }
  }
  return false;
}

}  // namespace

Process::Process(const Invocation& invocation) {
  const auto out = make_pipe();
  const auto err = make_pipe();
  pid_ = spawn(invocation, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (out_ >= 0) ::close(out_);
  if (err_ >= 0) ::close(err_);
}

bool Process::read_some(Clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  if (left.count() <= 0 || (out_ < 0 && err_ < 0)) return false;
  std::array<pollfd, 2> wanted{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
  if (::poll(wanted.data(), wanted.size(), static_cast<int>(left.count())) <= 0) {
    return errno == EINTR;
  }
  if (wanted[0].revents != 0) drain(out_, outcome_.out);
  if (wanted[1].revents != 0) drain(err_, outcome_.err);
  return true;
}

bool Process::wait_for_line(const std::vector<std::string>& words, std::chrono::seconds limit) {
  const auto until = Clock::now() + limit;
  while (!has_line(outcome_.out, words)) {
    if (!read_some(until)) return false;
  }
  return true;
}

void Process::send_signal(int number) const { ::kill(pid_, number); }

Outcome Process::finish(std::chrono::seconds limit) {
  const auto until = Clock::now() + limit;
  while (out_ >= 0 || err_ >= 0) {
    if (!read_some(until)) {
      throw std::runtime_error("the program did not end in time; it said: " + outcome_.out +
                               outcome_.err);
    }
  }
  int status = 0;
  if (::waitpid(pid_, &status, 0) != pid_) fail("waitpid", errno);
  pid_ = -1;
  outcome_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome_;
}

Outcome run_program(const Invocation& invocation, std::chrono::seconds limit) {
  return Process(invocation).finish(limit);
}

}  // namespace conccl::test
