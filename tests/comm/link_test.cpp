// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/link.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "conccl/backend/device.hpp"
#include "conccl/core/errors.hpp"
#include "tests/comm/process_facts.hpp"

namespace conccl::comm {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::chrono::milliseconds kPatience = 20s;

struct Pair {
  explicit Pair(int type = SOCK_SEQPACKET) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw RunError("socketpair");
    }
    left = Link(FileDescriptor(ends[0]));
    right = Link(FileDescriptor(ends[1]));
  }
  Link left;
  Link right;
};

/// Sends bytes and descriptors that `Link` would not send.
void send_raw(const Link& link, std::string_view bytes, std::span<const int> descriptors) {
  std::string copy(bytes);
  iovec part{copy.data(), copy.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(256 * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(first), descriptors.data(), descriptors.size_bytes());
  }
  ASSERT_EQ(sendmsg(link.descriptor(), &header, 0), static_cast<ssize_t>(bytes.size()));
}

std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Link, carries_messages_in_order) {
  Pair pair;
  for (std::uint64_t i = 0; i < 20; ++i) pair.left.send(Retirement{i}, {}, kPatience);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto delivery = pair.right.receive(kPatience);
    ASSERT_TRUE(delivery);
    EXPECT_EQ(std::get<Retirement>(delivery->message).allocation, i);
    EXPECT_TRUE(delivery->descriptors.empty());
  }
}

FileDescriptor memory_with(std::string_view text) {
  FileDescriptor memory(memfd_create("link test", MFD_CLOEXEC));
  EXPECT_EQ(write(memory.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  return memory;
}

TEST(Link, carries_descriptors_that_reach_the_same_memory_in_order) {
  Pair pair;
  std::vector<FileDescriptor> memories;
  for (std::size_t i = 0; i < backend::Shareable::kMaxDescriptors; ++i) {
    memories.push_back(memory_with(std::to_string(1000 + i)));
  }
  pair.left.send(Announcement{{}, 1, 5, {}}, memories, kPatience);
  const auto delivery = pair.right.receive(kPatience);
  ASSERT_TRUE(delivery);
  ASSERT_EQ(delivery->descriptors.size(), memories.size());
  for (std::size_t i = 0; i < memories.size(); ++i) {
    const int received = delivery->descriptors[i].get();
    std::array<char, 4> text{};
    ASSERT_EQ(pread(received, text.data(), text.size(), 0), 4);
    EXPECT_EQ(std::string(text.begin(), text.end()), std::to_string(1000 + i));
    EXPECT_NE(received, memories[i].get());
    EXPECT_NE(fcntl(received, F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST(Link, the_end_of_the_peer_is_seen_after_what_it_sent) {
  Pair pair;
  pair.left.send(Retirement{1}, {}, kPatience);
  pair.left.close();
  EXPECT_FALSE(pair.left.open());
  EXPECT_TRUE(pair.right.receive(kPatience));
  EXPECT_FALSE(pair.right.receive(kPatience));
  EXPECT_FALSE(pair.right.receive(kPatience)) << "and stays";
}

TEST(Link, the_end_of_the_peer_is_seen_with_bytes_it_never_read) {
  Pair pair;
  pair.left.send(Retirement{1}, {}, kPatience);
  pair.right.close();
  EXPECT_FALSE(pair.left.receive(kPatience));
}

TEST(Link, a_message_to_a_closed_peer_is_an_error_and_no_signal) {
  Pair pair;
  pair.right.close();
  EXPECT_THAT([&] { pair.left.send(Retirement{1}, {}, kPatience); },
              ThrowsMessage<RunError>(HasSubstr("the peer has closed it")));
}

TEST(Link, waits_only_so_long) {
  Pair pair;
  EXPECT_THAT([&] { static_cast<void>(pair.left.receive(30ms)); },
              ThrowsMessage<RunError>(HasSubstr("no message came within 30 ms")));
  EXPECT_THAT(
      [&] {
        while (true) pair.left.send(Refusal{std::string(kMaxReason, 'x')}, {}, 30ms);
      },
      ThrowsMessage<RunError>(HasSubstr("did not take a message within 30 ms")));
}

TEST(Link, goes_on_when_the_peer_takes_what_was_in_the_way) {
  Pair pair;
  constexpr std::uint64_t kMany = 5000;
  std::thread sender([&] {
    for (std::uint64_t i = 0; i < kMany; ++i) pair.left.send(Retirement{i}, {}, kPatience);
  });
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    const auto delivery = pair.right.receive(kPatience);
    if (!delivery || std::get<Retirement>(delivery->message).allocation != i) ++wrong;
  }
  sender.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(Link, rubbish_is_refused_and_the_next_message_is_read) {
  Pair pair;
  send_raw(pair.left, "GET / HTTP/1.1", {});
  pair.left.send(Retirement{7}, {}, kPatience);
  EXPECT_THROW(static_cast<void>(pair.right.receive(kPatience)), InputError);
  EXPECT_TRUE(pair.right.receive(kPatience));
}

TEST(Link, a_message_too_long_is_refused_and_its_descriptor_closed) {
  Pair pair;
  const int before = test::open_descriptors();
  const std::array<int, 1> one{STDERR_FILENO};
  send_raw(pair.left, std::string(100'000, 'x'), one);
  EXPECT_THAT([&] { static_cast<void>(pair.right.receive(kPatience)); },
              ThrowsMessage<InputError>(HasSubstr("more than")));
  EXPECT_EQ(test::open_descriptors(), before);
}

TEST(Link, surplus_descriptors_are_refused_and_closed) {
  Pair pair;
  const int before = test::open_descriptors();
  const std::string message = as_text(encode(Retirement{1}));
  const std::vector<int> surplus(backend::Shareable::kMaxDescriptors + 1, STDERR_FILENO);
  send_raw(pair.left, message, surplus);
  EXPECT_THAT([&] { static_cast<void>(pair.right.receive(kPatience)); },
              ThrowsMessage<InputError>(HasSubstr("241 descriptors")));
  const std::vector<int> many(surplus.size() + 10, STDERR_FILENO);
  send_raw(pair.left, message, many);
  EXPECT_THAT([&] { static_cast<void>(pair.right.receive(kPatience)); },
              ThrowsMessage<RunError>(HasSubstr("descriptors got lost")));
  EXPECT_EQ(test::open_descriptors(), before);
}

TEST(Link, says_so_at_the_limit_of_open_files) {
  Pair pair;
  const FileDescriptor memory(memfd_create("link test", MFD_CLOEXEC));
  pair.left.send(Announcement{}, std::span(&memory, 1), kPatience);
  rlimit old{};
  getrlimit(RLIMIT_NOFILE, &old);
  const rlimit none{0, old.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_THAT([&] { static_cast<void>(pair.right.receive(kPatience)); },
              ThrowsMessage<RunError>(HasSubstr("may open no more files")));
  setrlimit(RLIMIT_NOFILE, &old);
}

}  // namespace
}  // namespace conccl::comm
