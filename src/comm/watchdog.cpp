// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/watchdog.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <vector>

#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

constexpr std::chrono::milliseconds kWholeMessageIsThere{1000};

FileDescriptor make_event() {
  FileDescriptor event(eventfd(0, EFD_CLOEXEC));
  if (!event) throw RunError(fmt::format("eventfd: {}", std::strerror(errno)));
  return event;
}

/// Signals are for the caller's threads: a thread started meanwhile gets none.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

std::thread start_without_signals(auto&& body) try {
  const SignalsBlocked blocked;
  std::thread thread(std::forward<decltype(body)>(body));
  pthread_setname_np(thread.native_handle(), "conccl-watch");
  return thread;
} catch (const std::system_error& error) {
  throw RunError(fmt::format("watchdog: no thread: {}", error.what()));
}

}  // namespace

Watchdog::Watchdog(std::span<Link> links, std::chrono::milliseconds period, WatchdogHooks hooks)
    : links_(links),
      ended_(links.size(), false),
      period_(period),
      hooks_(std::move(hooks)),
      stop_(make_event()),
      thread_(start_without_signals([this] { run(); })) {}

Watchdog::~Watchdog() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(stop_.get(), &one, sizeof one);
  thread_.join();
}

void Watchdog::listen(int rank) {
  std::string why;
  try {
    auto delivery = links_[static_cast<std::size_t>(rank)].receive(kWholeMessageIsThere);
    if (delivery) {
      hooks_.message(rank, std::move(*delivery));
      return;
    }
  } catch (const Error& error) {
    why = error.what();
  }
  ended_[static_cast<std::size_t>(rank)] = true;
  hooks_.end(rank, why);
}

void Watchdog::run() {
  for (;;) {
    std::vector<pollfd> wanted{{stop_.get(), POLLIN, 0}};
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < links_.size(); ++rank) {
      if (!links_[rank].open() || ended_[rank]) continue;
      wanted.push_back({links_[rank].descriptor(), POLLIN, 0});
      ranks.push_back(static_cast<int>(rank));
    }
    const int ready = poll(wanted.data(), wanted.size(), static_cast<int>(period_.count()));
    if (wanted[0].revents != 0) return;
    for (std::size_t i = 0; ready > 0 && i < ranks.size(); ++i) {
      if (wanted[i + 1].revents != 0) listen(ranks[i]);
    }
    hooks_.period();
  }
}

}  // namespace conccl::comm
