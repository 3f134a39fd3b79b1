// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/comm/join_support.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "comm/message_buffer.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::test {

std::vector<comm::JoinRequest> requests(int ranks) {
  std::vector<comm::JoinRequest> made;
  for (int rank = 0; rank < ranks; ++rank) made.push_back({{rank, ranks}, "a=1", kJoinPatience});
  return made;
}

Attempt try_to_join(const comm::UniqueId& id, const comm::JoinRequest& request) {
  Attempt attempt;
  const auto begin = std::chrono::steady_clock::now();
  try {
    attempt.membership = comm::join(id, request);
  } catch (const Error& error) {
    attempt.error = error.what();
  }
  attempt.took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begin);
  return attempt;
}

std::vector<Attempt> join_together(const comm::UniqueId& id,
                                   const std::vector<comm::JoinRequest>& requests) {
  std::vector<Attempt> attempts(requests.size());
  std::vector<std::thread> ranks;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    ranks.emplace_back([&, i] { attempts[i] = try_to_join(id, requests[i]); });
  }
  for (std::thread& rank : ranks) rank.join();
  return attempts;
}

namespace {

void expect_talk(comm::Link& from, comm::Link& to, std::uint64_t word) {
  from.send(comm::Retirement{word}, {}, kJoinPatience);
  const auto delivery = to.receive(kJoinPatience);
  ASSERT_TRUE(delivery);
  EXPECT_EQ(std::get<comm::Retirement>(delivery->message).allocation, word);
}

}  // namespace

void expect_linked(std::vector<Attempt>& attempts) {
  const std::size_t ranks = attempts.size();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const comm::Membership& membership = attempts[rank].membership;
    ASSERT_EQ(attempts[rank].error, "") << "rank " << rank;
    ASSERT_EQ(membership.members.size(), ranks);
    ASSERT_EQ(membership.links.size(), ranks);
    EXPECT_FALSE(membership.links[rank].open());
    for (std::size_t i = 0; i < ranks; ++i) {
      EXPECT_EQ(membership.members[i].rank, i);
      EXPECT_EQ(membership.members[i].pid, static_cast<std::uint64_t>(getpid()));
    }
  }
  for (std::size_t a = 0; a < ranks; ++a) {
    for (std::size_t b = 0; b < ranks; ++b) {
      if (a == b) continue;
      expect_talk(attempts[a].membership.links[b], attempts[b].membership.links[a], a * ranks + b);
    }
  }
}

FileDescriptor call_on(const comm::UniqueId& id) {
  auto socket = comm::connect_to(comm::unpack(id).address, comm::moment_after(20s));
  if (!socket) throw RunError("nobody listens");
  return std::move(*socket);
}

void say(const FileDescriptor& socket, std::span<const std::byte> bytes) {
  static_cast<void>(comm::send_all(socket, bytes, comm::moment_after(20s)));
}

void say(const FileDescriptor& socket, std::string_view text) {
  say(socket, std::as_bytes(std::span(text)));
}

std::optional<comm::Message> hear(const FileDescriptor& socket) {
  comm::MessageBuffer buffer(comm::kMaxBody);
  const auto until = comm::moment_after(20s);
  while (true) {
    const comm::Intake intake = buffer.read_from(socket);
    if (intake == comm::Intake::message) return buffer.take();
    if (intake == comm::Intake::closed) return std::nullopt;
    if (!comm::wait_readable(socket, until)) {
      ADD_FAILURE() << "neither a message nor the end came";
      return std::nullopt;
    }
  }
}

comm::Introduction pretend(std::uint32_t rank, std::uint32_t ranks) {
  comm::Introduction made;
  made.rank = rank;
  made.ranks = ranks;
  made.pid = 4242;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> made.host;
  made.network = std::filesystem::read_symlink("/proc/self/ns/net").string();
  made.link = "conccl-nobody";
  made.options = "a=1";
  return made;
}

}  // namespace conccl::test
