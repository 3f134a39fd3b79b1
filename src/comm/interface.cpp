// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#include "comm/socket.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/open_files.hpp"

namespace conccl::comm {
namespace {

using InterfaceList = std::unique_ptr<ifaddrs, decltype(&freeifaddrs)>;

InterfaceList all_interfaces() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) {
    throw RunError(no_descriptor("list the network interfaces", errno));
  }
  return {first, &freeifaddrs};
}

std::optional<Address> address_of(const ifaddrs& entry) {
  if (entry.ifa_addr == nullptr) return std::nullopt;
  Address address;
  if (entry.ifa_addr->sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, entry.ifa_addr, sizeof(in));
    std::memcpy(address.host.data(), &in.sin_addr, sizeof(in.sin_addr));
    return address;
  }
  if (entry.ifa_addr->sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 in{};
  std::memcpy(&in, entry.ifa_addr, sizeof(in));
  address.family = Family::ipv6;
  address.scope = in.sin6_scope_id;
  std::memcpy(address.host.data(), &in.sin6_addr, sizeof(in.sin6_addr));
  return address;
}

/// Lower is better: IPv4, IPv6, IPv6 of the link alone.
int preference(const Address& address) {
  if (address.family == Family::ipv4) return 0;
  return address.scope == 0 ? 1 : 2;
}

}  // namespace

Address address_of_interface(const std::string& name) {
  const InterfaceList list = all_interfaces();
  std::optional<Address> best;
  std::set<std::string> names;
  for (const ifaddrs* entry = list.get(); entry != nullptr; entry = entry->ifa_next) {
    const auto address = address_of(*entry);
    if (!address) continue;
    names.insert(entry->ifa_name);
    if (name != entry->ifa_name) continue;
    if (!best || preference(*address) < preference(*best)) best = address;
  }
  if (best) return *best;
  throw InputError(fmt::format("no network interface \"{}\" with an address; there are: {}", name,
                               fmt::join(names, ", ")));
}

}  // namespace conccl::comm
