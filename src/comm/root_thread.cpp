// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <pthread.h>

#include <csignal>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "comm/root.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::comm {
namespace {

void serve(Root& root) noexcept {
  // Signals are the business of the program's own threads.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  try {
    root.run();
  } catch (const std::exception& error) {
    log(LogLevel::warning, fmt::format("the meeting point ended early: {}", error.what()));
  }
}

}  // namespace

Address open_root(const RootSpec& spec) {
  FileDescriptor listener = listen_at(spec.address);
  const Address address = local_address(listener);
  try {
    // Detached: it owns all it uses and ends by itself, and a process that exits does not wait.
    std::thread([root = Root(std::move(listener), spec)]() mutable { serve(root); }).detach();
  } catch (const std::system_error& error) {
    throw RunError(fmt::format("start the thread of the meeting point: {}", error.what()));
  }
  return address;
}

}  // namespace conccl::comm
