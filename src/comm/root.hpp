// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Root`: the meeting point, where ranks come, wait for each other, and get to know each other.
///
/// Nobody is believed before the secret. Strangers cannot keep the ranks from meeting: each has
/// little time and little room, and there may only be so many of them.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "comm/message_buffer.hpp"
#include "comm/polling.hpp"
#include "comm/roll.hpp"
#include "comm/socket.hpp"
#include "comm/wire.hpp"

namespace conccl::comm {

struct RootSpec {
  Address address;
  Secret secret{};
  std::chrono::milliseconds deadline{};
};

/// Opens a meeting point and serves it on a thread of its own, which ends by itself: when the ranks
/// have their links, when all have been refused, or at the deadline. The process may exit before.
/// Returns the address with its port. Throws RunError.
Address open_root(const RootSpec& spec);

/// One meeting, on one thread.
class Root {
 public:
  Root(FileDescriptor listener, const RootSpec& spec);
  /// Until it is over.
  void run();

 private:
  /// `gathering`: ranks come. `linking`: all have come and connect to each other. `refusing`: it
  /// will not work out, and those that still come are told why.
  enum class Phase { gathering, linking, refusing, over };

  struct Visitor {
    FileDescriptor socket;
    Moment since;
    MessageBuffer buffer{kMaxShortBody};
    std::optional<Introduction> rank;  ///< once it has shown the secret
    bool linked = false;               ///< it has said so
    bool ready = false;
  };

  void wait();
  [[nodiscard]] Moment next_event() const;
  void hear_all();
  void hear(Visitor& visitor);
  void take(Visitor& visitor, const Message& message);
  void take_join(Visitor& visitor, const Join& join);
  void admit(Visitor& visitor);
  void note_linked(Visitor& visitor);
  void leave(Visitor& visitor);
  void accept_all();
  void drop_strangers(Moment now);
  void drop_oldest_stranger(std::size_t unless_fewer);
  void check_time(Moment now);
  void welcome_all();
  void refuse_all(const std::string& reason);
  void refuse(Visitor& visitor);
  void forget_gone();

  FileDescriptor listener_;
  RootSpec spec_;
  Phase phase_ = Phase::gathering;
  Moment closes_;                       ///< when everything is over
  Moment until_;                        ///< when the phase is over
  Moment accept_from_{};                ///< not before, after the system had no descriptor left
  std::chrono::milliseconds deadline_;  ///< that passes first, as it was given
  Moment latest_{};                     ///< when the last rank gives up
  Roll roll_;
  std::string reason_;
  std::set<std::uint32_t> told_;  ///< ranks that know the reason
  std::vector<Visitor> visitors_;
};

}  // namespace conccl::comm
