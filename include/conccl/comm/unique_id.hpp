// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `UniqueId`: what ranks must hold to join a communicator, and how they find each other.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace conccl::comm {

/// The most ranks that can join one communicator with an id.
inline constexpr int kMaxJoined = 256;

/// 128 bytes, to be handed to every rank by any means: a random 128-bit secret and the address at
/// which the ranks meet. Whoever holds it may join, so treat it like a password. It serves one
/// communicator.
struct UniqueId {
  std::array<std::byte, 128> bytes{};

  friend bool operator==(const UniqueId&, const UniqueId&) = default;
};

/// 256 hexadecimal digits, and back; throws InputError for anything else.
[[nodiscard]] std::string to_text(const UniqueId& id);
[[nodiscard]] UniqueId parse_unique_id(std::string_view text);

struct MeetingOptions {
  /// Where the meeting point listens: the name of a network interface; empty: CONCCL_SOCKET_IFNAME,
  /// and without that the loopback interface.
  std::string interface;
  /// How long the meeting point stays open for ranks to come.
  std::chrono::milliseconds deadline{30'000};
};

/// A new id, with its meeting point: a listening socket and a thread of this process, which serve
/// until all ranks have joined, a rank fails, or the deadline has passed; this process must live
/// until then. Any thread. Throws InputError for an unknown interface, RunError when no socket can
/// be opened.
[[nodiscard]] UniqueId make_unique_id(const MeetingOptions& options = {});

/// A rank's place as launchers (conccl run, torchrun, srun) put it into the environment.
struct Place {
  int rank = 0;
  int ranks = 1;
  int local_rank = 0;  ///< LOCAL_RANK; without it, the rank
};

/// True when RANK is set.
[[nodiscard]] bool launched_by_environment();
/// From RANK, WORLD_SIZE (at most kMaxJoined) and LOCAL_RANK. Throws InputError naming the
/// variable.
[[nodiscard]] Place place_from_environment();
/// The id of a run that a launcher started: MASTER_ADDR (a numeric address, or localhost) and
/// CONCCL_PORT, without it MASTER_PORT, say where rank 0 listens, and CONCCL_SECRET, 32 hexadecimal
/// digits, is known to the ranks alone. On rank 0 this opens the meeting point; on the others the
/// join waits for it until the deadline. One communicator at a time may be made so. Throws
/// InputError naming the variable.
[[nodiscard]] UniqueId unique_id_from_environment(const MeetingOptions& options = {});

/// What a launcher gives to every rank of a new run, beside its place.
struct RunMeeting {
  std::string address;  ///< MASTER_ADDR
  std::string port;     ///< MASTER_PORT: one that was free just now
  std::string secret;   ///< CONCCL_SECRET: a new one
};

/// For launchers: a place for `unique_id_from_environment` of the ranks, at a network interface;
/// empty: loopback. Opens nothing that stays open. Throws InputError for an unknown interface,
/// RunError when no port or no random bytes can be had.
[[nodiscard]] RunMeeting new_run(const std::string& interface = {});

}  // namespace conccl::comm
