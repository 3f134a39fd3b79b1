// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/peers/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/peers/nccl_peer.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

/// Whose streams NCCL takes.
constexpr std::string_view kStreams = "CUDA";

/// What every rank knows without asking; empty: nothing is in the way.
std::string why_none(const Ranks& ranks, const backend::Capabilities& capabilities,
                     const StudyOptions& options) {
  if (options.peers == PeerPolicy::none) return "not asked for";
  if (capabilities.streams != kStreams) {
    return fmt::format("runs on {} streams, which the {} backend has not", kStreams,
                       capabilities.backend);
  }
  if (ranks.local_count() != 1 || options.launch != Launch::processes) {
    return "needs --launch processes: one thread that enqueues NCCL's collectives for several "
           "ranks would wait for itself";
  }
  return {};
}

/// Collective: the library, if every rank has it in the same version.
std::shared_ptr<const nccl::Api> common_library(Ranks& ranks, std::string& reason) {
  std::shared_ptr<const nccl::Api> api;
  try {
    api = nccl::find_nccl();
  } catch (const Unavailable& error) {
    reason = error.what();
  }
  const auto codes = ranks.gather(std::vector<int>{api ? api->code : 0});
  if (!api) return nullptr;
  for (std::size_t rank = 0; rank < codes.size(); ++rank) {
    if (codes[rank] == api->code) continue;
    reason = codes[rank] == 0 ? fmt::format("rank {} finds no NCCL", rank)
                              : fmt::format("rank {} has version code {}, this rank {}", rank,
                                            codes[rank], api->code);
    return nullptr;
  }
  return api;
}

}  // namespace

template <typename Make>
void Peers::add(Ranks& ranks, Entry& entry, Make make) {
  try {
    entry.peer = make();
  } catch (const Unavailable& error) {
    entry.reason = error.what();
  } catch (const RunError& error) {
    entry.reason = error.what();
  }
  const auto mine = entry.peer ? Ranks::Wish::go_on : Ranks::Wish::stop;
  if (ranks.meet(mine) == Ranks::Wish::go_on) return;
  if (entry.peer) {
    entry.peer->give_up();
    entry.peer.reset();
    entry.reason = "another rank could not set it up";
  }
}

Peers::Peers(Ranks& ranks, const backend::Capabilities& capabilities, const StudyOptions& options) {
  entries_.push_back({c3::Carrier::vendor_kernels, "nccl", nullptr, {}});
  entries_.push_back({c3::Carrier::vendor_copies, "nccl_ce", nullptr, {}});
  std::string reason = why_none(ranks, capabilities, options);
  NcclSetting setting;
  if (reason.empty()) setting.api = common_library(ranks, reason);
  if (!setting.api) {
    for (auto& entry : entries_) entry.reason = reason;
    return;
  }
  setting.ranks = &ranks;
  setting.site = site_of(ranks.stream(0));
  setting.caller = {options.deadline, [site = setting.site] { site.enter(); }};
  add(ranks, entries_[0], [&] { return std::make_unique<NcclKernels>(setting); });
  add(ranks, entries_[1], [&] { return std::make_unique<NcclCopies>(setting); });
}

Peer* Peers::find(c3::Carrier carrier) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [carrier](const Entry& entry) {
    return entry.carrier == carrier;
  });
  return found == entries_.end() ? nullptr : found->peer.get();
}

std::vector<c3::Carrier> Peers::carriers() const {
  std::vector<c3::Carrier> list;
  for (const auto& entry : entries_) {
    if (entry.peer) list.push_back(entry.carrier);
  }
  return list;
}

std::vector<PeerFacts> Peers::facts() const {
  std::vector<PeerFacts> list;
  for (const auto& entry : entries_) {
    list.push_back(entry.peer ? entry.peer->facts()
                              : PeerFacts{std::string(entry.name), {}, {}, entry.reason});
  }
  return list;
}

std::string Peers::why_not(c3::Carrier carrier) const {
  for (const auto& entry : entries_) {
    if (entry.carrier == carrier) return entry.reason;
  }
  return {};
}

void Peers::give_up() noexcept {
  for (auto& entry : entries_) {
    if (entry.peer) entry.peer->give_up();
  }
}

}  // namespace conccl::bench
