// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/grants.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

using Hold = UnitClaim::Hold;

bool overlap(const UnitClaim& a, const UnitClaim& b) { return a.first < b.end && b.first < a.end; }

/// Units that the same claims may use.
struct Segment {
  int first = 0;
  double free = 0;
};

class Device {
 public:
  explicit Device(std::span<const UnitClaim> claims) {
    std::vector<int> cuts;
    for (const auto& claim : claims) {
      cuts.insert(cuts.end(), {claim.first, claim.end});
      if (claim.step > 0) cuts.insert(cuts.end(), {0, claim.device_units});
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      segments_.push_back({cuts[i], static_cast<double>(cuts[i + 1] - cuts[i])});
    }
  }

  [[nodiscard]] double free_for(const UnitClaim& claim) const {
    double free = 0;
    for (const auto& segment : segments_) free += is_of(claim, segment) ? segment.free : 0;
    return free;
  }

  [[nodiscard]] double free() const {
    return std::accumulate(segments_.begin(), segments_.end(), 0.0,
                           [](double sum, const Segment& each) { return sum + each.free; });
  }

  /// From the end, which partitions of the first units leave alone.
  void take(const UnitClaim& claim, double units) {
    for (auto segment = segments_.rbegin(); segment != segments_.rend(); ++segment) {
      if (!is_of(claim, *segment)) continue;
      const double taken = std::min(units, segment->free);
      segment->free -= taken;
      units -= taken;
    }
  }

 private:
  static bool is_of(const UnitClaim& claim, const Segment& segment) {
    return claim.first <= segment.first && segment.first < claim.end;
  }

  std::vector<Segment> segments_;
};

std::vector<std::size_t> by_priority(std::span<const UnitClaim> claims) {
  std::vector<std::size_t> order(claims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [claims](std::size_t a, std::size_t b) {
    return claims[a].priority > claims[b].priority;
  });
  return order;
}

/// What `claim` leaves to those behind it that have less.
double left_to(std::span<const UnitClaim> claims, std::span<const std::size_t> behind,
               const UnitClaim& claim, double late) {
  double left = 0;
  for (const std::size_t i : behind) {
    const UnitClaim& other = claims[i];
    if (other.priority != claim.priority || !overlap(other, claim)) continue;
    const double kept = other.hold == Hold::keeps ? other.held : 0;
    left += std::max(0.0, std::min(other.wanted, late) - kept);
  }
  return left;
}

/// What a claim may have at most, by the pieces that it takes units in: free units of less than a
/// piece are of no use.
double in_pieces(const UnitClaim& claim, const Device& device) {
  if (claim.step == 0) return claim.wanted;
  return std::min(claim.wanted, std::floor(device.free() / claim.step) * claim.step);
}

}  // namespace

UnitClaim claim_of(const plan::Share& share, int units) {
  const int cut = std::min(share.units, units);
  switch (share.kind) {
    case plan::Share::Kind::all:
      return {0, units};
    case plan::Share::Kind::only:
      return {0, cut};
    case plan::Share::Kind::all_but:
      return {cut, units};
  }
  throw BrokenInvariant("a share of no known kind");
}

std::vector<double> grant(std::span<const UnitClaim> claims, double late) {
  Device device(claims);
  std::vector<double> granted(claims.size(), 0);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (claims[i].hold != Hold::keeps) continue;
    granted[i] = claims[i].held;
    device.take(claims[i], granted[i]);
  }
  const auto order = by_priority(claims);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const UnitClaim& claim = claims[order[place]];
    if (claim.hold == Hold::keeps) continue;
    const auto behind = std::span(order).subspan(place + 1);
    const double most = claim.hold == Hold::may_shrink ? claim.held : claim.wanted;
    const double free = device.free_for(claim) - left_to(claims, behind, claim, late);
    granted[order[place]] = std::clamp(free, 0.0, std::min(most, in_pieces(claim, device)));
    device.take(claim, granted[order[place]]);
  }
  return granted;
}

}  // namespace conccl::c3
