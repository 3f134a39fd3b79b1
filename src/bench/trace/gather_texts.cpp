// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/trace/gather_texts.hpp"

#include <algorithm>
#include <array>

namespace conccl::bench {
namespace {

constexpr std::size_t kPieceBytes = 4096;

struct Piece {
  std::array<char, kPieceBytes> bytes{};
};

Piece piece_of(const std::string& text, std::size_t offset) {
  Piece piece;
  if (offset < text.size()) text.copy(piece.bytes.data(), kPieceBytes, offset);
  return piece;
}

}  // namespace

std::vector<std::string> gather_texts(Ranks& ranks, const std::string& mine) {
  if (ranks.all_here()) return {mine};
  const auto sizes = ranks.gather(std::vector<std::uint64_t>{mine.size()});
  std::vector<std::string> texts(sizes.size());
  const auto longest = *std::max_element(sizes.begin(), sizes.end());
  for (std::size_t offset = 0; offset < longest; offset += kPieceBytes) {
    const auto pieces = ranks.gather(std::vector<Piece>{piece_of(mine, offset)});
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
      if (offset >= sizes[rank]) continue;
      const auto size = std::min<std::size_t>(kPieceBytes, sizes[rank] - offset);
      texts[rank].append(pieces[rank].bytes.data(), size);
    }
  }
  return texts;
}

}  // namespace conccl::bench
