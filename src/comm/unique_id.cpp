// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/comm/unique_id.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "comm/meeting_point.hpp"
#include "comm/root.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/random_id.hpp"

namespace conccl::comm {
namespace {

std::string chosen_interface(const MeetingOptions& options) {
  if (!options.interface.empty()) return options.interface;
  const char* const named = std::getenv("CONCCL_SOCKET_IFNAME");
  return named != nullptr && *named != '\0' ? named : "lo";
}

/// Without the port, and without the brackets that part an IPv6 address from it.
std::string host_text(const Address& address) {
  std::string text = to_text(address);
  text.resize(text.rfind(':'));
  return address.family == Family::ipv6 ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

std::string to_text(const UniqueId& id) { return to_hexadecimal(id.bytes); }

UniqueId parse_unique_id(std::string_view text) {
  UniqueId id;
  if (!from_hexadecimal(text, id.bytes)) {
    throw InputError("unique id: expected 256 hexadecimal digits");
  }
  static_cast<void>(unpack(id));
  return id;
}

UniqueId make_unique_id(const MeetingOptions& options) {
  const Secret secret = random_id();
  const Address address =
      open_root({address_of_interface(chosen_interface(options)), secret, options.deadline});
  return pack({secret, address, Opening::done});
}

RunMeeting new_run(const std::string& interface) {
  const Address address = address_of_interface(interface.empty() ? "lo" : interface);
  if (address.scope != 0) {
    throw InputError(fmt::format(
        "network interface \"{}\" has none but link-local addresses, as {}: MASTER_ADDR cannot say "
        "of which link",
        interface, host_text(address)));
  }
  // The system does not give a port out again at once, so the next one to ask for it is rank 0.
  const Address free = local_address(listen_at(address));
  return {host_text(free), fmt::format("{}", free.port), to_hexadecimal(random_id())};
}

}  // namespace conccl::comm
