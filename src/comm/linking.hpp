// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Links between all ranks, once they know each other.
#pragma once

#include <string>
#include <vector>

#include "comm/link.hpp"
#include "comm/meeting.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {

/// An abstract socket with a random name, on which a rank takes links from higher ranks.
class LinkListener {
 public:
  /// Throws RunError.
  LinkListener();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const FileDescriptor& socket() const { return socket_; }

 private:
  std::string name_;
  FileDescriptor socket_;
};

/// Connects to every lower rank and takes a link from every higher one; nobody else gets one.
class Linking {
 public:
  /// All must outlive it.
  Linking(const MeetingPoint& point, const std::vector<Introduction>& members, std::uint32_t self)
      : secret_(point.secret), members_(members), self_(self), links_(members.size()) {}

  /// By rank; the own one is closed. Throws RunError naming the rank that could not be linked, and
  /// when the meeting is called off meanwhile.
  [[nodiscard]] std::vector<Link> link_all(const LinkListener& listener, Meeting& meeting,
                                           const Patience& patience);

 private:
  void require_one_network() const;
  [[nodiscard]] RunError own_trouble(const std::string& what) const;
  [[nodiscard]] bool try_to_connect(const FileDescriptor& socket, const Introduction& peer) const;
  void greet_rank(Link& link, const Introduction& peer, const Patience& patience) const;
  void connect_to_rank(const Introduction& peer, Meeting& meeting, const Patience& patience);
  void accept_higher(const LinkListener& listener, Meeting& meeting, const Patience& patience);
  void accept_newcomer(const LinkListener& listener);
  void greet(Link& newcomer);
  [[nodiscard]] const Introduction* first_missing() const;

  const Secret& secret_;
  const std::vector<Introduction>& members_;
  std::uint32_t self_;
  std::vector<Link> links_;
  std::vector<Link> newcomers_;  ///< that have not greeted yet
};

}  // namespace conccl::comm
