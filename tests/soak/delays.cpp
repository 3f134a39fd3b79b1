// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/soak/delays.hpp"

#include <algorithm>

namespace conccl::soak {
namespace {

constexpr std::uint64_t kSeldom = 8;
constexpr std::uint64_t kRare = 40;
constexpr std::chrono::microseconds kShort{1'000};
constexpr std::chrono::microseconds kLong{20'000};

}  // namespace

Delays::Delays(backend::Device& device, int streams, Random random)
    : random_(random),
      flags_(device.make_flags(streams)),
      last_(static_cast<std::size_t>(streams)),
      thread_([this](const std::stop_token& stop) { raise_when_due(stop); }) {}

std::chrono::microseconds Delays::draw() {
  if (!random_.one_in(kSeldom)) return std::chrono::microseconds(0);
  const auto most = random_.one_in(kRare) ? kLong : kShort;
  return std::chrono::microseconds(1 + random_.below(static_cast<std::uint64_t>(most.count())));
}

void Delays::pause_here() {
  const auto pause = draw();
  if (pause.count() > 0) std::this_thread::sleep_for(pause);
}

void Delays::pause_stream(int stream, backend::Queue& queue) {
  const auto pause = draw();
  if (pause.count() == 0) return;
  auto& last = last_[static_cast<std::size_t>(stream)];
  ++last.value;
  // A flag only grows: a later pause that ended first would end the earlier one too.
  last.when = std::max(last.when, Clock::now() + pause);
  queue.wait({flags_.get(), stream}, last.value);
  const std::lock_guard lock(mutex_);
  due_.emplace(last.when, Due{stream, last.value});
  changed_.notify_one();
}

void Delays::raise_when_due(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (due_.empty()) {
      if (!changed_.wait(lock, stop, [&] { return !due_.empty(); })) return;
      continue;
    }
    const auto first = due_.begin();
    if (first->first <= Clock::now() || stop.stop_requested()) {
      flags_->raise(first->second.stream, first->second.value);
      due_.erase(first);
      continue;
    }
    const auto until = first->first;
    changed_.wait_until(lock, stop, until,
                        [&] { return !due_.empty() && due_.begin()->first < until; });
  }
}

}  // namespace conccl::soak
