// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Meeting`: a rank's connection to the meeting point.
#pragma once

#include <optional>
#include <vector>

#include "comm/meeting_point.hpp"
#include "comm/message_buffer.hpp"
#include "comm/polling.hpp"
#include "comm/socket.hpp"

namespace conccl::comm {

/// When a rank gives up, and what it says then.
struct Patience {
  Moment until;
  std::chrono::milliseconds total{};
};

class Meeting {
 public:
  /// `point` must outlive it.
  explicit Meeting(const MeetingPoint& point) : point_(point) {}

  /// Waits until everybody is there. Throws RunError with the reason of a refusal, and when nobody
  /// listens there or answers.
  [[nodiscard]] std::vector<Introduction> attend(const Introduction& self,
                                                 const Patience& patience);
  /// For poll(): readable when the meeting point has more to say; -1 when it is gone.
  [[nodiscard]] int descriptor() const { return socket_.get(); }
  /// Throws RunError with the reason when the meeting was called off after all. Never waits.
  void check();
  /// check(), but gives the meeting point a moment to say it.
  void check_soon();
  /// This rank has its links; waits until all have theirs. Throws RunError with the reason when the
  /// meeting was called off.
  void finish(const Patience& patience);
  /// This rank does not go on; the others are told why.
  void give_up(const std::string& reason) noexcept;

 private:
  using Members = std::vector<Introduction>;
  struct Heard {
    Intake intake = Intake::partial;
    Message message;  ///< when it is one
  };

  /// nullopt: nobody there yet, or the connection ended before an answer.
  [[nodiscard]] std::optional<Members> try_to_attend(const Introduction& self,
                                                     const Patience& patience);
  /// nullopt: the connection has ended. Throws RunError for rubbish.
  [[nodiscard]] std::optional<Message> next_message(const Patience& patience);
  [[nodiscard]] Heard listen();

  const MeetingPoint& point_;
  FileDescriptor socket_;
  MessageBuffer buffer_{kMaxBody};
};

}  // namespace conccl::comm
