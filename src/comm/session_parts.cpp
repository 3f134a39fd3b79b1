// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/session_parts.hpp"

#include <fmt/format.h>

#include "comm/peer_memory.hpp"
#include "comm/roll.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

/// Direct plans use two flags per peer; the rest is for the gates of plans that hold compute lanes.
constexpr int kExtraFlags = 16;

int flag_count(std::size_t ranks) { return 2 * static_cast<int>(ranks) + kExtraFlags; }

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

backend::Shareable share(const backend::FlagBlock& block, backend::Device& device) {
  const auto allocation = device.allocation_of(block.memory().data());
  ensure(allocation.has_value(), "flags lie in memory of their device");
  auto shareable = device.share(*allocation);
  return shareable;
}

/// A peer is to blame, by name.
class PeerFailed final : public RunError {
 public:
  using RunError::RunError;
};

/// What one rank tells each peer first: its area and its two blocks of flags, in this order.
std::vector<backend::Shareable> introduction_of(const SessionParts& parts, int rank,
                                                FileDescriptor area) {
  std::vector<backend::Shareable> all;
  backend::Shareable first;
  first.bytes = sizeof(AreaLayout);
  first.descriptors.push_back(std::move(area));
  all.push_back(std::move(first));
  all.push_back(share(*parts.flags[index(rank)], *parts.device));
  all.push_back(share(*parts.completions[index(rank)], *parts.device));
  return all;
}

/// One rank's setting up with its peers, within one deadline.
class Setup {
 public:
  Setup(SessionParts& parts, int rank, std::chrono::milliseconds limit)
      : parts_(parts), rank_(rank), until_(Clock::now() + limit) {}

  void tell_peers(FileDescriptor area) {
    const auto own = introduction_of(parts_, rank_, std::move(area));
    for (int peer = 0; peer < static_cast<int>(parts_.links.size()); ++peer) {
      if (parts_.links[index(peer)].open()) tell(peer, own);
    }
  }

  void hear_from(int peer) {
    auto area = next(peer);
    area.descriptors.resize(1);
    parts_.areas.push_back(Area::map(std::move(area.descriptors.front()), area.bytes));
    parts_.flags[index(peer)] = flags_of(peer, flag_count(parts_.links.size()));
    parts_.completions[index(peer)] = flags_of(peer, 1);
  }

  /// Tells the peers why this rank gives up, so that they do not take it for the one that failed.
  void give_up(const std::string& reason) {
    for (Link& link : parts_.links) link.refuse(reason);
  }

 private:
  [[nodiscard]] std::string text(int peer) const { return rank_text(parts_.members[index(peer)]); }

  void tell(int peer, const std::vector<backend::Shareable>& own) {
    Link& link = parts_.links[index(peer)];
    try {
      for (const auto& part : own) link.send(announcement_of(part), part.descriptors, left());
    } catch (const RunError& error) {
      // One that is gone is named when it is to be heard, after all others have been told.
      if (!link.peer_is_gone()) throw PeerFailed(fmt::format("{}: {}", text(peer), error.what()));
    }
  }

  [[nodiscard]] std::chrono::milliseconds left() const {
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now()),
                    std::chrono::milliseconds(0));
  }

  backend::Shareable next(int peer) {
    auto delivery = receive(peer);
    if (!delivery) throw PeerFailed(fmt::format("{} ended while joining", text(peer)));
    if (const auto* refusal = std::get_if<Refusal>(&delivery->message)) {
      throw PeerFailed(refusal->reason);
    }
    auto* announcement = std::get_if<Announcement>(&delivery->message);
    if (announcement == nullptr) {
      throw PeerFailed(fmt::format("{} did not introduce its memory", text(peer)));
    }
    return shareable_of(std::move(*announcement), std::move(delivery->descriptors));
  }

  std::optional<Delivery> receive(int peer) {
    try {
      return parts_.links[index(peer)].receive(left());
    } catch (const Error& error) {
      throw PeerFailed(fmt::format("{} while joining: {}", text(peer), error.what()));
    }
  }

  std::unique_ptr<backend::FlagBlock> flags_of(int peer, int count) {
    return parts_.device->map_flags(parts_.device->map(next(peer)), count);
  }

  SessionParts& parts_;
  int rank_;
  Clock::time_point until_;
};

void require_reach(std::span<const std::unique_ptr<backend::Device>> devices) {
  for (std::size_t from = 0; from < devices.size(); ++from) {
    for (std::size_t to = 0; to < devices.size(); ++to) {
      const auto why = devices[from]->why_unreachable(*devices[to]);
      if (why) throw Unavailable(fmt::format("rank {} to rank {}: {}", from, to, *why));
    }
  }
}

}  // namespace

SessionParts parts_in_process(std::span<const std::unique_ptr<backend::Device>> devices) {
  require_reach(devices);
  SessionParts parts;
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    parts.local_ranks.push_back(static_cast<int>(rank));
    parts.local_devices.push_back(devices[rank].get());
    parts.areas.push_back(Area::in_process());
    parts.flags.push_back(devices[rank]->make_flags(flag_count(devices.size())));
    parts.completions.push_back(devices[rank]->make_flags(1));
  }
  return parts;
}

SessionParts parts_between_processes(Membership membership, int rank, backend::Device& device,
                                     std::chrono::milliseconds deadline) {
  SessionParts parts;
  parts.local_ranks = {rank};
  parts.local_devices = {&device};
  parts.members = std::move(membership.members);
  parts.links = std::move(membership.links);
  parts.device = &device;
  const std::size_t ranks = parts.members.size();
  parts.flags.resize(ranks);
  parts.completions.resize(ranks);
  Setup setup(parts, rank, deadline);
  try {
    parts.flags[index(rank)] = device.make_flags(flag_count(ranks));
    parts.completions[index(rank)] = device.make_flags(1);
    FileDescriptor descriptor;
    Area own = Area::shared(fmt::format("conccl-area-{}", rank), descriptor);
    setup.tell_peers(std::move(descriptor));
    for (int peer = 0; peer < rank; ++peer) setup.hear_from(peer);
    parts.areas.push_back(std::move(own));
    for (int peer = rank + 1; peer < static_cast<int>(ranks); ++peer) setup.hear_from(peer);
  } catch (const PeerFailed& error) {
    setup.give_up(error.what());
    throw;
  } catch (const Error& error) {
    const auto why = fmt::format("{}: {}", rank_text(parts.members[index(rank)]), error.what());
    setup.give_up(why);
    throw RunError(why);
  }
  return parts;
}

}  // namespace conccl::comm
