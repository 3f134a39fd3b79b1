// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Joining as the environment says.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "tests/capi/support.hpp"

namespace conccl::test {
namespace {

/// A port nobody listens on at the moment.
std::string free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(socket);
  return std::to_string(ntohs(address.sin_port));
}

class CEnvironment : public testing::Test {
 protected:
  CEnvironment() {
    for (const auto& [name, value] : variables_) setenv(name.c_str(), value.c_str(), 1);
  }
  ~CEnvironment() override {
    for (const auto& [name, value] : variables_) unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::string> variables_ = {
      {"RANK", "0"},
      {"WORLD_SIZE", "1"},
      {"LOCAL_RANK", "0"},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", free_port()},
      {"CONCCL_SECRET", "00112233445566778899aabbccddeeff"},
  };
};

TEST_F(CEnvironment, ARankAlone) {
  concclComm_t comm = nullptr;
  ASSERT_OK(concclCommInitFromEnv(&comm, nullptr));
  int count = 0;
  EXPECT_OK(concclCommCount(comm, &count));
  EXPECT_EQ(count, 1);
  EXPECT_OK(concclCommDestroy(comm));
}

TEST_F(CEnvironment, InAGroup) {
  concclComm_t comm = nullptr;
  const auto config = with_deadline(kPatienceMs);
  ASSERT_OK(concclGroupStart());
  EXPECT_OK(concclCommInitFromEnv(&comm, &config));
  EXPECT_EQ(comm, nullptr);
  ASSERT_OK(concclGroupEnd());
  EXPECT_OK(concclCommDestroy(comm));
}

TEST_F(CEnvironment, MissingAndMalformedVariablesAreNamed) {
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "CONCCL_SECRET"}) {
    const std::string value = std::getenv(name);
    concclComm_t comm = nullptr;
    setenv(name, "nonsense", 1);
    expect_refused(concclCommInitFromEnv(&comm, nullptr), concclInvalidArgument, name);
    unsetenv(name);
    expect_refused(concclCommInitFromEnv(&comm, nullptr), concclInvalidArgument, name);
    setenv(name, value.c_str(), 1);
    EXPECT_EQ(comm, nullptr);
  }
}

}  // namespace
}  // namespace conccl::test
