// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal_input.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "conccl/core/errors.hpp"

namespace conccl::cli {

TerminalInput::TerminalInput() {
  if (::isatty(STDIN_FILENO) != 1) return;
  // A socket rather than a pipe: a rank that reads no more is an error code, not SIGPIPE.
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw RunError(fmt::format("no input for rank 0: {}", std::strerror(errno)));
  }
  own_end_ = FileDescriptor(ends[0]);
  rank_end_ = FileDescriptor(ends[1]);
}

int TerminalInput::for_rank_zero() const { return rank_end_ ? rank_end_.get() : STDIN_FILENO; }

/// In the background, reading would stop the launcher.
bool TerminalInput::may_read() const {
  return own_end_ && pending_.empty() && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

void TerminalInput::add_to(std::vector<pollfd>& wanted) const {
  if (may_read()) wanted.push_back({STDIN_FILENO, POLLIN, 0});
  if (own_end_ && !pending_.empty()) wanted.push_back({own_end_.get(), POLLOUT, 0});
}

void TerminalInput::read_terminal() {
  pollfd typed{STDIN_FILENO, POLLIN, 0};
  if (::poll(&typed, 1, 0) <= 0) return;
  std::array<char, 4096> buffer{};
  const auto count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (count > 0) pending_.assign(buffer.data(), static_cast<std::size_t>(count));
  if (count == 0 || (count < 0 && errno != EINTR)) own_end_ = {};
}

void TerminalInput::forward() {
  if (may_read()) read_terminal();
  if (!own_end_ || pending_.empty()) return;
  const auto sent =
      ::send(own_end_.get(), pending_.data(), pending_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) pending_.erase(0, static_cast<std::size_t>(sent));
  if (sent < 0 && errno != EAGAIN && errno != EINTR) own_end_ = {};
}

}  // namespace conccl::cli
