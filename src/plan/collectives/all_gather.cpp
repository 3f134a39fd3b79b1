// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/collectives/direct.hpp"

namespace conccl::plan {

RankPlan build_all_gather(const Request& request, const Method& method, int rank) {
  const auto source = [&request](int from) {
    return request.placement == Placement::in_place
               ? Ref{from, BufferKind::recv, static_cast<Bytes>(from) * request.block}
               : Ref{from, BufferKind::send, 0};
  };
  const auto copy = [&request, source](int from, int to) {
    return Copy{source(from),
                {to, BufferKind::recv, static_cast<Bytes>(from) * request.block},
                request.block};
  };
  const auto own = [&request, copy](int self) {
    return request.placement == Placement::in_place ? Copy{} : copy(self, self);
  };
  return build_direct(request, method, rank, {copy, own});
}

}  // namespace conccl::plan
