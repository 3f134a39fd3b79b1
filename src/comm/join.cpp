// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/join.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <utility>

#include "comm/linking.hpp"
#include "comm/meeting.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

/// Equal on all processes of one running machine, in whatever container.
std::string host_identity() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string line;
  std::getline(file, line);
  return line.empty() ? "unknown" : line;
}

std::string network_identity() {
  std::array<char, 64> text{};
  const ssize_t count = readlink("/proc/self/ns/net", text.data(), text.size());
  return count > 0 ? std::string(text.data(), static_cast<std::size_t>(count)) : "unknown";
}

void check(const JoinRequest& request) {
  const auto [rank, ranks] = request.place;
  if (ranks < 1 || ranks > kMaxJoined) {
    throw InputError(fmt::format("ranks: {} is not in 1 .. {}", ranks, kMaxJoined));
  }
  if (rank < 0 || rank >= ranks) {
    throw InputError(fmt::format("rank {} of {}: expected 0 to {}", rank, ranks, ranks - 1));
  }
  if (request.options.size() > kMaxOptions) {
    throw InputError(fmt::format("options as text have {} bytes, at most {} are allowed: {}",
                                 request.options.size(), kMaxOptions, request.options));
  }
}

Introduction introduce(const JoinRequest& request, const LinkListener& listener) {
  Introduction self;
  self.rank = static_cast<std::uint32_t>(request.place.rank);
  self.ranks = static_cast<std::uint32_t>(request.place.ranks);
  self.pid = static_cast<std::uint64_t>(getpid());
  self.host = host_identity();
  self.network = network_identity();
  self.link = listener.name();
  self.options = request.options;
  return self;
}

}  // namespace

Membership join(const UniqueId& id, const JoinRequest& request) {
  check(request);
  const MeetingPoint point = unpack(id);
  const Patience patience{moment_after(request.deadline), request.deadline};
  const LinkListener listener;
  const Introduction self = introduce(request, listener);
  Meeting meeting(point);
  Membership membership{meeting.attend(self, patience), {}};
  Linking linking(point, membership.members, self.rank);
  membership.links = linking.link_all(listener, meeting, patience);
  meeting.finish(patience);
  return membership;
}

}  // namespace conccl::comm
