// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Threads that stay where they are put.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace conccl::backend {

/// Starts `body` on the cores `cpus` (operating-system numbers; empty: anywhere) under `name` (cut
/// to 15 characters). Signals are left to the caller's own threads.
[[nodiscard]] std::thread start_thread(const std::string& name, const std::vector<int>& cpus,
                                       std::function<void()> body);

/// Asks the scheduler to run the calling thread soon after it wakes, even on a core full of busy
/// threads: a queue's front end stands for hardware that shares nothing with the compute units.
/// Kernels before 6.12 ignore it, and need it less.
void prefer_quick_wakeups();

/// The cores this process may use, ascending.
[[nodiscard]] std::vector<int> allowed_cpus();

}  // namespace conccl::backend
