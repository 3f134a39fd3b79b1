// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/polling.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>

#include "conccl/core/errors.hpp"
#include "conccl/core/open_files.hpp"

namespace conccl::comm {
namespace {

using std::chrono::milliseconds;

bool wait_for_one(const FileDescriptor& descriptor, short events, Moment until) {
  pollfd one{descriptor.get(), events, 0};
  return poll_until({&one, 1}, until);
}

}  // namespace

Moment moment_after(milliseconds wait) {
  return Clock::now() + std::clamp<milliseconds>(wait, milliseconds(0), std::chrono::hours(8760));
}

bool poll_until(std::span<pollfd> descriptors, Moment until) {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    const auto limit = std::clamp<milliseconds>(left, milliseconds(0), std::chrono::hours(1));
    const int ready = poll(descriptors.data(), descriptors.size(), static_cast<int>(limit.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) throw RunError(no_descriptor("wait for the peers", errno));
    if (Clock::now() >= until) return false;
  }
}

bool wait_readable(const FileDescriptor& descriptor, Moment until) {
  return wait_for_one(descriptor, POLLIN, until);
}

bool wait_writable(const FileDescriptor& descriptor, Moment until) {
  return wait_for_one(descriptor, POLLOUT, until);
}

void pause_until(milliseconds wait, Moment until) {
  std::this_thread::sleep_until(std::min(Clock::now() + wait, until));
}

}  // namespace conccl::comm
