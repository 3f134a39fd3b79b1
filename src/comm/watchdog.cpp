// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/watchdog.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "conccl/core/errors.hpp"
#include "conccl/core/quiet_thread.hpp"

namespace conccl::comm {
namespace {

constexpr std::chrono::milliseconds kWholeMessageIsThere{1000};

FileDescriptor make_event() {
  FileDescriptor event(eventfd(0, EFD_CLOEXEC));
  if (!event) throw RunError(fmt::format("eventfd: {}", std::strerror(errno)));
  return event;
}

}  // namespace

Watchdog::Watchdog(std::span<Link> links, std::chrono::milliseconds period, WatchdogHooks hooks)
    : links_(links),
      ended_(links.size(), false),
      period_(period),
      hooks_(std::move(hooks)),
      stop_(make_event()),
      thread_(start_quiet_thread("conccl-watch", [this] { run(); })) {}

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
