// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/trace/tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace conccl::bench {
namespace {

std::vector<std::size_t> by_start(const std::vector<Piece>& pieces) {
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pieces[a].start < pieces[b].start; });
  return order;
}

/// The first of a row's tracks that is free at `piece`'s start, or a new one.
Track& place_for(const Piece& piece, const std::vector<Piece>& pieces, std::vector<Track>& tracks) {
  for (auto& track : tracks) {
    if (pieces[track.pieces.back()].end <= piece.start) return track;
  }
  const auto number = tracks.size() + 1;
  tracks.push_back({number == 1 ? piece.row : fmt::format("{} #{}", piece.row, number), {}});
  return tracks.back();
}

}  // namespace

std::vector<Track> lay_out(const std::vector<Piece>& pieces) {
  std::map<std::string, std::vector<Track>> rows;
  for (const std::size_t index : by_start(pieces)) {
    const Piece& piece = pieces[index];
    place_for(piece, pieces, rows[piece.row]).pieces.push_back(index);
  }
  std::vector<Track> tracks;
  for (auto& [name, row] : rows) {
    std::move(row.begin(), row.end(), std::back_inserter(tracks));
  }
  return tracks;
}

std::vector<RatePoint> rate_of(const std::vector<Flow>& flows) {
  struct Change {
    double gbps = 0;
    int flows = 0;
  };
  std::map<Nanoseconds, Change> changes;
  for (const auto& flow : flows) {
    if (flow.end <= flow.start || flow.bytes == 0) continue;
    const double gbps =
        static_cast<double>(flow.bytes) / static_cast<double>((flow.end - flow.start).count());
    changes[flow.start].gbps += gbps;
    changes[flow.start].flows += 1;
    changes[flow.end].gbps -= gbps;
    changes[flow.end].flows -= 1;
  }
  std::vector<RatePoint> points;
  double gbps = 0;
  int running = 0;
  for (const auto& [at, change] : changes) {
    running += change.flows;
    // Sums of differences leave rounding behind: nothing running is exactly zero.
    gbps = running == 0 ? 0 : gbps + change.gbps;
    points.push_back({at, gbps});
  }
  return points;
}

}  // namespace conccl::bench
