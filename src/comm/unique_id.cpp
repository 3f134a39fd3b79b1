// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/comm/unique_id.hpp"

#include <cstdlib>

#include "comm/meeting_point.hpp"
#include "comm/root.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

std::string chosen_interface(const MeetingOptions& options) {
  if (!options.interface.empty()) return options.interface;
  const char* const named = std::getenv("CONCCL_SOCKET_IFNAME");
  return named != nullptr && *named != '\0' ? named : "lo";
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
  const Secret secret = random_secret();
  const Address address =
      open_root({address_of_interface(chosen_interface(options)), secret, options.deadline});
  return pack({secret, address, Opening::done});
}

}  // namespace conccl::comm
