// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Threads of the library's own.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace conccl {

/// Starts `body` on a thread that takes no signals, so that they reach the caller's own threads,
/// under `name` (cut to 15 characters). Throws RunError when the system refuses another thread.
[[nodiscard]] std::thread start_quiet_thread(const std::string& name, std::function<void()> body);

}  // namespace conccl
