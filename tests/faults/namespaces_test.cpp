// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Ranks in different containers, as far as the kernel lets this process make some.

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/faults/crew.hpp"

namespace conccl::test {
namespace {

/// `unshare` with these options; who is not root needs a user namespace, too.
std::vector<std::string> own(const std::vector<std::string>& options) {
  std::vector<std::string> wrapper{"unshare"};
  if (::geteuid() != 0) wrapper.insert(wrapper.end(), {"--user", "--map-root-user"});
  wrapper.insert(wrapper.end(), options.begin(), options.end());
  return wrapper;
}

std::vector<std::string> own_pids() {
  return own({"--pid", "--fork", "--mount-proc", "--kill-child"});
}

std::vector<std::string> own_everything_but_network() {
  return own({"--pid", "--fork", "--mount-proc", "--kill-child", "--ipc", "--uts", "--mount"});
}

std::vector<std::string> own_network() { return own({"--net"}); }

bool permitted(const std::vector<std::string>& wrapper) {
  std::string command;
  for (const auto& word : wrapper) command += word + " ";
  return std::system((command + "true 2>/dev/null").c_str()) == 0;
}

/// Replaces a rank by one that runs in namespaces of its own.
void move(Crew& crew, int rank, const std::vector<std::string>& wrapper) {
  auto& place = crew.ranks[static_cast<std::size_t>(rank)];
  place = std::make_unique<RankProcess>(wrapper);
  ASSERT_TRUE(place->said("ready", kPatience));
}

TEST(Namespaces, OwnPidNamespacesWork) {
  if (!permitted(own_everything_but_network())) {
    GTEST_SKIP() << "this kernel or container forbids new PID namespaces";
  }
  Crew crew(4);
  move(crew, 1, own_pids());
  move(crew, 3, own_everything_but_network());
  crew.join(kPatience);
  crew.all_ok("windows 2097152");
  crew.all_ok("loop 1 100");
  crew.all_ok("leave");
  crew.finish();
}

TEST(Namespaces, ARankThatDiesInItsOwnIsNamed) {
  if (!permitted(own_pids())) GTEST_SKIP() << "this kernel or container forbids PID namespaces";
  Crew crew(3);
  move(crew, 1, own_pids());
  crew.join(20s);
  crew[1].tell("exit");
  crew.tell_all_but(1, "call all_gather ordinary 100 int32 1");
  EXPECT_THAT(answers(crew, {1, 5s}),
              testing::Each(error_with({"rank 1 (process", "ended without leaving"})));
}

TEST(Namespaces, AnotherNetworkNamespaceIsSaid) {
  if (!permitted(own_network())) GTEST_SKIP() << "this kernel or container forbids new networks";
  Crew crew(2);
  move(crew, 1, own_network());
  crew.tell_to_join(new_id(), 4s);
  const auto heard = answers(crew, {-1, 20s});
  EXPECT_THAT(heard[0], error_with({"rank 1 of 2 did not come within 4000 ms"}));
  EXPECT_THAT(heard[1], error_with({"network namespace"}));
  crew.finish();
}

}  // namespace
}  // namespace conccl::test
