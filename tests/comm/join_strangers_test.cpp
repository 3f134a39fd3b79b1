// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "comm/join.hpp"
#include "conccl/core/random_id.hpp"
#include "tests/comm/join_support.hpp"
#include "tests/comm/process_facts.hpp"

namespace conccl::test {
namespace {

const comm::MeetingOptions kOnLoopback{"lo", kJoinPatience};

std::vector<std::byte> join_bytes(const comm::UniqueId& id) {
  return comm::encode(comm::Join{comm::unpack(id).secret, 60'000, 60'000, pretend(0, 2)});
}

TEST(JoinStrangers, rubbish_is_dropped_and_the_ranks_meet) {
  const auto id = comm::make_unique_id(kOnLoopback);
  std::vector<std::vector<std::byte>> rubbish(6, join_bytes(id));
  rubbish[0][0] ^= std::byte{1};                        // magic
  rubbish[1][4] ^= std::byte{1};                        // version
  rubbish[2][6] = std::byte{99};                        // kind
  rubbish[3][11] = std::byte{0x7F};                     // length of the body
  rubbish[4][comm::kHeaderBytes + 40] = std::byte{99};  // length of the first text
  rubbish[5] = comm::encode(comm::Linked{});            // not a Join
  for (const auto& bytes : rubbish) {
    const auto socket = call_on(id);
    say(socket, bytes);
    EXPECT_FALSE(hear(socket)) << "it is closed, without an answer";
  }
  auto attempts = join_together(id, requests(2));
  expect_linked(attempts);
}

TEST(JoinStrangers, the_slow_and_the_silent_do_not_hold_up_the_ranks) {
  const auto id = comm::make_unique_id(kOnLoopback);
  const auto silent = call_on(id);
  const auto slow = call_on(id);
  const auto bytes = join_bytes(id);
  say(slow, std::span(bytes).first(comm::kHeaderBytes + 20));
  auto attempts = join_together(id, requests(4));
  expect_linked(attempts);
  EXPECT_FALSE(hear(silent)) << "closed once all have come";
  EXPECT_FALSE(hear(slow));
}

TEST(JoinStrangers, get_only_a_few_seconds) {
  const auto id = comm::make_unique_id(kOnLoopback);
  const auto silent = call_on(id);
  EXPECT_FALSE(hear(silent));
  auto attempts = join_together(id, requests(2));
  expect_linked(attempts);
}

TEST(JoinStrangers, a_join_in_single_bytes_is_a_join) {
  const auto id = comm::make_unique_id(kOnLoopback);
  const auto socket = call_on(id);
  auto self = pretend(0, 1);
  const auto bytes = comm::encode(comm::Join{comm::unpack(id).secret, 60'000, 60'000, self});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    say(socket, std::span(bytes).subspan(i, 1));
    if (i % 16 == 0) std::this_thread::sleep_for(1ms);
  }
  const auto answer = hear(socket);
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<comm::Welcome>(*answer).members.at(0).pid, self.pid);
}

TEST(JoinStrangers, a_flood_does_not_keep_the_ranks_from_meeting) {
  const auto id = comm::make_unique_id(kOnLoopback);
  const int before = open_descriptors();
  std::vector<FileDescriptor> flood;
  for (int i = 0; i < 200; ++i) flood.push_back(call_on(id));
  // Both ends are here: the meeting point keeps but few of them.
  EXPECT_TRUE(eventually([&] { return open_descriptors() - before <= 200 + 64; }));
  std::atomic<bool> over{false};
  std::thread more([&] {
    std::size_t next = 0;
    while (!over) {
      auto socket = comm::connect_to(comm::unpack(id).address, comm::moment_after(20s));
      if (!socket) return;
      flood[next++ % flood.size()] = std::move(*socket);
    }
  });
  auto attempts = join_together(id, requests(8));
  over = true;
  more.join();
  expect_linked(attempts);
}

FileDescriptor connect_abstract(const std::string& name) {
  FileDescriptor opened(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (connect(opened.get(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0) return {};
  return opened;
}

/// Names of the sockets on which ranks of this process now wait for links.
std::vector<std::string> link_names() {
  std::set<std::string> own;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with("socket:[")) own.insert(target.substr(8, target.size() - 9));
  }
  std::vector<std::string> names;
  std::ifstream list("/proc/net/unix");
  std::string line;
  std::getline(list, line);
  while (std::getline(list, line)) {
    std::istringstream words(line);
    std::string skipped, flags, inode, name;
    words >> skipped >> skipped >> skipped >> flags >> skipped >> skipped >> inode >> name;
    const bool listening = flags == "00010000";
    if (listening && own.contains(inode) && name.starts_with("@")) names.push_back(name.substr(1));
  }
  return names;
}

TEST(JoinStrangers, on_the_sockets_of_links_get_none) {
  const auto id = comm::make_unique_id(kOnLoopback);
  std::vector<Attempt> attempts(3);
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] { attempts[rank] = try_to_join(id, requests(3)[rank]); });
  }
  ASSERT_TRUE(eventually([] { return link_names().size() >= 2; }));
  std::vector<comm::Link> strangers;
  for (const std::string& name : link_names()) {
    for (int i = 0; i < 70; ++i) strangers.emplace_back(connect_abstract(name));
    strangers.emplace_back(connect_abstract(name)).send(comm::Linked{}, {}, 20s);
    comm::Secret wrong = comm::unpack(id).secret;
    wrong[0] ^= std::byte{1};
    strangers.emplace_back(connect_abstract(name)).send(comm::Greeting{wrong, 2}, {}, 20s);
    comm::Secret right = comm::unpack(id).secret;
    strangers.emplace_back(connect_abstract(name)).send(comm::Greeting{right, 99}, {}, 20s);
  }
  attempts[2] = try_to_join(id, requests(3)[2]);
  for (std::thread& rank : ranks) rank.join();
  expect_linked(attempts);
  for (comm::Link& stranger : strangers) {
    EXPECT_FALSE(stranger.receive(20s));
  }
}

TEST(JoinStrangers, at_the_meeting_points_address_are_named) {
  const auto listener = comm::listen_at(*comm::parse_host("127.0.0.1"));
  const comm::MeetingPoint point{random_id(), comm::local_address(listener), comm::Opening::done};
  std::thread server([&] {
    ASSERT_TRUE(comm::wait_readable(listener, comm::moment_after(20s)));
    const FileDescriptor socket(accept(listener.get(), nullptr, nullptr));
    say(socket, "220 mail.example ESMTP\r\n");
    comm::pause_until(200ms, comm::moment_after(20s));
  });
  const Attempt attempt = try_to_join(comm::pack(point), requests(1)[0]);
  server.join();
  EXPECT_THAT(attempt.error, testing::HasSubstr("is no meeting point of ConCCL"));
}

}  // namespace
}  // namespace conccl::test
