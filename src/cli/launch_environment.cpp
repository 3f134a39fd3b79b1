// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/launch_environment.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "conccl/core/descriptor.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

constexpr std::size_t kSecretBytes = 16;

[[noreturn]] void fail(std::string_view what) {
  const int reason = errno;
  throw RunError(fmt::format("{}: {}", what, std::strerror(reason)));
}

in_addr loopback() {
  in_addr address{};
  address.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

in_addr address_of(const std::string& interface) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) fail("cannot list the network interfaces");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  for (const auto* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (interface != entry->ifa_name || entry->ifa_addr == nullptr) continue;
    if (entry->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_in address{};
    std::memcpy(&address, entry->ifa_addr, sizeof(address));
    return address.sin_addr;
  }
  throw InputError(
      fmt::format("--interface: \"{}\" is no interface with an IPv4 address here", interface));
}

/// The kernel does not give a port out again at once, so the next one to ask for it is rank 0.
int free_port(in_addr at) {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) fail("cannot open a socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr = at;
  socklen_t length = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), generic, length) != 0 ||
      ::getsockname(socket.get(), generic, &length) != 0) {
    fail("cannot find a free port");
  }
  return ntohs(address.sin_port);
}

std::string fresh_secret() {
  std::array<unsigned char, kSecretBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    fail("no random bytes");
  }
  std::string text;
  for (const auto byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

bool is_set_anew(std::string_view entry,
                 const std::vector<std::pair<std::string, std::string>>& variables) {
  const auto name = entry.substr(0, entry.find('='));
  for (const auto& [known, value] : variables) {
    if (name == known) return true;
  }
  return false;
}

}  // namespace

MeetingPoint choose_meeting_point(const std::string& interface) {
  const in_addr address = interface.empty() ? loopback() : address_of(interface);
  std::array<char, INET_ADDRSTRLEN> text{};
  if (::inet_ntop(AF_INET, &address, text.data(), text.size()) == nullptr) fail("inet_ntop");
  return {text.data(), free_port(address), fresh_secret(), interface};
}

std::vector<std::string> environment_of_rank(const MeetingPoint& meeting, int rank, int ranks) {
  std::vector<std::pair<std::string, std::string>> variables{
      {"RANK", fmt::format("{}", rank)},       {"WORLD_SIZE", fmt::format("{}", ranks)},
      {"LOCAL_RANK", fmt::format("{}", rank)}, {"LOCAL_WORLD_SIZE", fmt::format("{}", ranks)},
      {"MASTER_ADDR", meeting.address},        {"MASTER_PORT", fmt::format("{}", meeting.port)},
      {"CONCCL_SECRET", meeting.secret}};
  if (!meeting.interface.empty()) variables.emplace_back("CONCCL_SOCKET_IFNAME", meeting.interface);
  std::vector<std::string> all;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    if (!is_set_anew(*entry, variables)) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : variables) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

}  // namespace conccl::cli
