// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/signal_source.hpp"

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

bool is_ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

SignalSource::SignalSource() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  // A signal that is ignored (nohup) would come here once it is blocked.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    if (!is_ignored(signal)) ::sigaddset(&wanted, signal);
  }
  // Ignored, it would take the children's exit codes away.
  if (is_ignored(SIGCHLD)) static_cast<void>(::signal(SIGCHLD, SIG_DFL));
  ::sigaddset(&wanted, SIGCHLD);
  descriptor_ = FileDescriptor(::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!descriptor_) throw RunError(fmt::format("signalfd: {}", std::strerror(errno)));
  ::pthread_sigmask(SIG_BLOCK, &wanted, &before_);
}

SignalSource::~SignalSource() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

std::optional<int> SignalSource::next() const {
  signalfd_siginfo info{};
  if (::read(descriptor_.get(), &info, sizeof(info)) != sizeof(info)) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace conccl::cli
