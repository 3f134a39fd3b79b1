// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Ranks that join on threads of this process, and others that only pretend to.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "comm/join.hpp"
#include "comm/meeting_point.hpp"
#include "comm/socket.hpp"

namespace conccl::test {

using namespace std::chrono_literals;

/// Long enough for any join of these tests on a loaded machine under a sanitizer.
inline constexpr std::chrono::milliseconds kJoinPatience = 60s;

struct Attempt {
  comm::Membership membership;
  std::string error;  ///< what join threw; empty: it did not
  std::chrono::milliseconds took{};
};

/// Ranks 0 .. ranks - 1 with equal options and kJoinPatience.
[[nodiscard]] std::vector<comm::JoinRequest> requests(int ranks);

[[nodiscard]] Attempt try_to_join(const comm::UniqueId& id, const comm::JoinRequest& request);

/// One thread per request; the outcomes in the order of the requests.
[[nodiscard]] std::vector<Attempt> join_together(const comm::UniqueId& id,
                                                 const std::vector<comm::JoinRequest>& requests);

/// Fails the test unless everybody joined and every pair of ranks can talk.
void expect_linked(std::vector<Attempt>& attempts);

/// A bare connection to the meeting point of `id`.
[[nodiscard]] FileDescriptor call_on(const comm::UniqueId& id);
/// Sends bytes; whether they are welcome is for the test to see.
void say(const FileDescriptor& socket, std::span<const std::byte> bytes);
void say(const FileDescriptor& socket, std::string_view text);
/// The next message; nullopt when the connection ends, or 20 seconds pass.
[[nodiscard]] std::optional<comm::Message> hear(const FileDescriptor& socket);

/// What rank `rank` of `ranks` would say of itself, were it a rank.
[[nodiscard]] comm::Introduction pretend(std::uint32_t rank, std::uint32_t ranks);

}  // namespace conccl::test
