// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What dead processes could leave behind on the machine.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace conccl::test {

/// What some processes hold of ConCCL's memory and sockets, by number, so that other programs on
/// the machine are not mistaken for them.
struct Holdings {
  std::set<std::string> memory;   ///< inodes of shared segments, mapped or open
  std::set<std::string> sockets;  ///< rows of the table of Unix-domain sockets
};

[[nodiscard]] Holdings held_by(const std::vector<pid_t>& processes);
/// Whether no process of the machine holds any of it any more, at the latest after `limit`.
[[nodiscard]] testing::AssertionResult nobody_holds(
    const Holdings& holdings, std::chrono::seconds limit = std::chrono::seconds(10));

}  // namespace conccl::test
