// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/loads.hpp"

#include <algorithm>

namespace conccl::c3 {

using Kind = ResourceKind;

Readers::Readers(const plan::RankPlan& rank) {
  for (const auto& lane : rank.lanes) {
    for (const auto& step : lane.steps) {
      if (const auto* const copy = std::get_if<plan::Copy>(&step)) ++counts_[key_of(*copy)];
    }
  }
}

double bytes_to_peers(std::span<const plan::Step> copies) {
  double bytes = 0;
  for (const plan::Step& step : copies) {
    const auto& copy = std::get<plan::Copy>(step);
    if (copy.src.rank != copy.dst.rank) bytes += static_cast<double>(copy.bytes);
  }
  return bytes;
}

Resource Loads::resource(Kind kind, int device, int other) const {
  if (mirrored_ranks_ == 0) return {kind, device, other};
  if (kind != Kind::pair) return {kind, 0, other};
  const int distance = (other - device) % mirrored_ranks_;
  return {kind, 0, distance < 0 ? distance + mirrored_ranks_ : distance};
}

Load Loads::of(std::span<const plan::Step> copies, const Readers& readers) const {
  Load load;
  for (const plan::Step& step : copies) {
    const auto& copy = std::get<plan::Copy>(step);
    const auto bytes = static_cast<double>(copy.bytes);
    load[resource(Kind::memory, copy.src.rank)] += bytes / readers.of(copy);
    load[resource(Kind::memory, copy.dst.rank)] += bytes;
    load[resource(Kind::cache, copy.src.rank)] += bytes;
    load[resource(Kind::cache, copy.dst.rank)] += bytes;
    if (copy.src.rank == copy.dst.rank) continue;
    load[resource(Kind::link_out, copy.src.rank)] += bytes;
    load[resource(Kind::link_in, copy.dst.rank)] += bytes;
    load[resource(Kind::pair, copy.src.rank, copy.dst.rank)] += bytes;
  }
  return load;
}

double Loads::time_of(const Load& load) const {
  double time = 1;
  for (const auto& [resource, bytes] : load) {
    if (const double rate = system_.rate(resource.kind); rate > 0) {
      time = std::max(time, bytes / rate);
    }
  }
  return time;
}

std::vector<Use> Loads::uses(const Load& load, double alone_ns) {
  std::vector<Use> list;
  for (const auto& [resource, bytes] : load) {
    const double rate = system_.rate(resource.kind);
    if (!(rate > 0) || !(bytes > 0)) continue;
    list.push_back({index_.number_of(resource), bytes / rate / alone_ns});
  }
  return list;
}

std::vector<LinkFill> Loads::fills(std::span<const plan::Step> copies, double alone_ns) const {
  const double rate = system_.rate(Kind::link_out);
  if (!(rate > 0) || !(bytes_to_peers(copies) > 0)) return {};
  std::map<int, LinkFill> fills;
  for (const plan::Step& step : copies) {
    const auto& copy = std::get<plan::Copy>(step);
    const double filled = static_cast<double>(copy.bytes) / rate / alone_ns;
    LinkFill& source = fills[device_of(copy.src.rank)];
    if (copy.src.rank == copy.dst.rank) {
      source.within += filled;
      continue;
    }
    source.share += filled / 2;
    fills[device_of(copy.dst.rank)].share += filled / 2;
  }
  std::vector<LinkFill> list;
  for (auto& [device, fill] : fills) {
    fill.device = device;
    list.push_back(fill);
  }
  return list;
}

}  // namespace conccl::c3
