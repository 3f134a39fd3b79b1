// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <utility>

#include "comm/root.hpp"
#include "conccl/core/log.hpp"
#include "conccl/core/quiet_thread.hpp"

namespace conccl::comm {
namespace {

void serve(Root& root) noexcept {
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
  const auto root = std::make_shared<Root>(std::move(listener), spec);
  // Detached: it owns all it uses and ends by itself, and a process that exits does not wait.
  start_quiet_thread("conccl-meeting", [root] { serve(*root); }).detach();
  return address;
}

}  // namespace conccl::comm
