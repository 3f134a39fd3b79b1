// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/overlaps.hpp"

#include <algorithm>
#include <numeric>

namespace conccl::plan {
namespace {

/// In steps of an order search, by their time.
constexpr std::size_t kUnitsPerPair = 8;

}  // namespace

void OverlapSweep::sort_by_begin(std::span<const Access> accesses) {
  const auto by_begin = [accesses](std::uint32_t a, std::uint32_t b) {
    return accesses[a].begin < accesses[b].begin;
  };
  sorted_.resize(accesses.size());
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  if (!std::is_sorted(sorted_.begin(), sorted_.end(), by_begin)) {
    std::sort(sorted_.begin(), sorted_.end(), by_begin);
  }
}

void OverlapSweep::run(std::span<const Access> accesses, const Pair& pair) {
  pair_ = &pair;
  sort_by_begin(accesses);
  for (std::size_t first = 0; first < sorted_.size();) {
    Bytes end = accesses[sorted_[first]].end();
    auto last = first + 1;
    for (; last < sorted_.size() && accesses[sorted_[last]].begin < end; ++last) {
      end = std::max(end, accesses[sorted_[last]].end());
    }
    if (last - first > 1) check_cluster(accesses, std::span(sorted_).subspan(first, last - first));
    first = last;
  }
}

void OverlapSweep::check_cluster(std::span<const Access> accesses,
                                 std::span<std::uint32_t> members) {
  find_edges(accesses, members);
  if (edges_.empty()) return;
  segments_.assign(edges_.size() - 1, {});
  std::sort(members.begin(), members.end());
  for (const auto index : members) {
    if (budget_.exhausted()) return;
    visit(accesses, index);
  }
}

void OverlapSweep::find_edges(std::span<const Access> accesses,
                              std::span<const std::uint32_t> members) {
  edges_.clear();
  for (const auto index : members) {
    if (accesses[index].is_write == 0) continue;
    edges_.push_back(accesses[index].begin);
    edges_.push_back(accesses[index].end());
  }
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
}

void OverlapSweep::visit(std::span<const Access> accesses, std::uint32_t index) {
  const Access& access = accesses[index];
  const auto above = std::upper_bound(edges_.begin(), edges_.end(), access.begin);
  auto place = static_cast<std::size_t>(above - edges_.begin());
  if (place > 0) --place;
  for (; place < segments_.size() && edges_[place] < access.end(); ++place) {
    auto& [writer, readers] = segments_[place];
    budget_.spend(kUnitsPerPair * (1 + (access.is_write != 0 ? readers.size() : 0)));
    if (writer != kNone && (access.is_write == 0 || readers.empty())) {
      (*pair_)(accesses[writer], access);
    }
    if (access.is_write == 0) {
      readers.push_back(index);
      continue;
    }
    for (const auto reader : readers) (*pair_)(accesses[reader], access);
    readers.clear();
    writer = index;
  }
}

}  // namespace conccl::plan
