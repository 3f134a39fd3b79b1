// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/plan/expectation.hpp"

namespace conccl::plan {
namespace {

/// Where block `source` of the result of `rank` comes from: the collective's definition.
Ref origin_of(const Request& request, int rank, int source) {
  const auto block = [&](int index) { return static_cast<Bytes>(index) * request.block; };
  if (request.collective == Collective::all_to_all) {
    return Ref{source, BufferKind::send, block(rank)};
  }
  return request.placement == Placement::in_place ? Ref{source, BufferKind::recv, block(source)}
                                                  : Ref{source, BufferKind::send, 0};
}

}  // namespace

std::vector<Piece> expectation(const Request& request, int rank) {
  std::vector<Piece> pieces;
  if (request.block == 0) return pieces;
  pieces.reserve(static_cast<std::size_t>(request.ranks));
  for (int source = 0; source < request.ranks; ++source) {
    pieces.push_back({static_cast<Bytes>(source) * request.block, request.block,
                      origin_of(request, rank, source)});
  }
  return pieces;
}

}  // namespace conccl::plan
