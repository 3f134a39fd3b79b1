// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/verify/contents.hpp"

#include <algorithm>
#include <iterator>

namespace conccl::plan {
namespace {

/// Bounds the memory of writes that nobody reads.
constexpr std::size_t kMaxPending = 4096;

Ref advanced(Ref ref, Bytes bytes) {
  ref.offset += bytes;
  return ref;
}

}  // namespace

Contents::Contents(const Ref& self, Bytes size, std::pmr::memory_resource* memory)
    : size_(size), pieces_(memory) {
  pieces_.emplace(0, Piece{self, {}});
}

void Contents::read(Bytes begin, Bytes end, std::vector<Held>& out) {
  settle();
  for (auto piece = std::prev(pieces_.upper_bound(begin)); begin < end;) {
    const auto& [from, held] = *piece;
    ++piece;
    const Bytes to = std::min(end, piece == pieces_.end() ? size_ : piece->first);
    out.push_back({begin, to, advanced(held.origin, begin - from), held.writer});
    begin = to;
  }
}

Contents::Pieces::iterator Contents::cut(Bytes place) {
  if (place == size_) return pieces_.end();
  const auto after = pieces_.upper_bound(place);
  const auto around = std::prev(after);
  if (around->first == place) return around;
  const Piece rest{advanced(around->second.origin, place - around->first), around->second.writer};
  return pieces_.emplace_hint(after, place, rest);
}

void Contents::write(const Held& held) {
  pending_.push_back(held);
  if (pending_.size() >= kMaxPending) settle();
}

void Contents::settle() {
  for (const auto& held : pending_) put(held);
  pending_.clear();
}

void Contents::put(const Held& held) {
  const auto first = cut(held.begin);
  const auto last = cut(held.end);
  pieces_.erase(std::next(first), last);
  first->second = {held.origin, held.writer};
}

}  // namespace conccl::plan
