// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/faults/rank_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace conccl::test {
namespace {

using namespace std::chrono_literals;

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("pipe2: ") + std::strerror(errno));
  }
  return ends;
}

pid_t spawn(std::vector<std::string> words, int in, int out) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  pid_t pid = -1;
  const int error =
      ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(words.front() + ": " + std::strerror(error));
  return pid;
}

std::string rank_program() {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename("conccl-rank").string();
}

bool begins_with(const std::string& line, const char* word) { return line.rfind(word, 0) == 0; }

}  // namespace

RankProcess::RankProcess(const std::vector<std::string>& wrapper,
                         const std::vector<std::string>& arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  const auto in = make_pipe();
  const auto out = make_pipe();
  auto words = wrapper;
  words.push_back(rank_program());
  words.insert(words.end(), arguments.begin(), arguments.end());
  pid_ = spawn(std::move(words), in[0], out[1]);
  ::close(in[0]);
  ::close(out[1]);
  in_ = in[1];
  out_ = out[0];
}

RankProcess::~RankProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (in_ >= 0) ::close(in_);
  ::close(out_);
}

void RankProcess::tell(const std::string& command) {
  const std::string line = command + "\n";
  [[maybe_unused]] const auto written = ::write(in_, line.data(), line.size());
}

bool RankProcess::next_line(std::string& line, Clock::time_point until) {
  for (;;) {
    if (const auto end = text_.find('\n'); end != std::string::npos) {
      line = text_.substr(0, end);
      text_.erase(0, end + 1);
      return true;
    }
    if (ended_) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd wanted{out_, POLLIN, 0};
    if (left < 0ms || ::poll(&wanted, 1, static_cast<int>(left.count())) == 0) return false;
    std::array<char, 4096> piece{};
    const auto count = ::read(out_, piece.data(), piece.size());
    if (count > 0) text_.append(piece.data(), static_cast<std::size_t>(count));
    if (count == 0) ended_ = true;
  }
}

Answer RankProcess::answer(std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  std::string line;
  while (next_line(line, until)) {
    if (begins_with(line, "ok")) {
      return {Answer::Kind::ok, line.substr(std::min<std::size_t>(line.size(), 3)), Clock::now()};
    }
    if (begins_with(line, "error ")) return {Answer::Kind::error, line.substr(6), Clock::now()};
  }
  return {ended_ ? Answer::Kind::ended : Answer::Kind::silence, {}, Clock::now()};
}

bool RankProcess::said(const std::string& wanted, std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  std::string line;
  while (next_line(line, until)) {
    if (line == wanted) return true;
  }
  return false;
}

void RankProcess::signal(int number) const { ::kill(pid_, number); }

int RankProcess::finish(std::chrono::milliseconds limit) {
  if (in_ >= 0) ::close(in_);
  in_ = -1;
  const auto until = Clock::now() + limit;
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (Clock::now() > until) return -1;
    std::this_thread::sleep_for(1ms);
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace conccl::test
