// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a `UniqueId` holds, and the host's own facts that ranks compare.
#pragma once

#include <cstdint>
#include <string>

#include "comm/socket.hpp"
#include "comm/wire.hpp"
#include "conccl/comm/unique_id.hpp"

namespace conccl::comm {

/// Whether the meeting point was open when the id was made.
enum class Opening : std::uint8_t {
  done = 0,   ///< who finds nobody there is told so at once
  later = 1,  ///< a rank opens it in its own time: who finds nobody there tries again
};

struct MeetingPoint {
  Secret secret{};
  Address address;
  Opening opening = Opening::done;
};

[[nodiscard]] UniqueId pack(const MeetingPoint& point);
/// Throws InputError when the bytes are no id of this release.
[[nodiscard]] MeetingPoint unpack(const UniqueId& id);

/// Two digits a byte, lower case.
[[nodiscard]] std::string to_hexadecimal(std::span<const std::byte> bytes);
/// Fills all of `bytes`; false when the text has another length or other digits.
[[nodiscard]] bool from_hexadecimal(std::string_view text, std::span<std::byte> bytes);

}  // namespace conccl::comm
