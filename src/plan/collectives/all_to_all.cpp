// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/collectives/direct.hpp"

namespace conccl::plan {

RankPlan build_all_to_all(const Request& request, const Method& method, int rank) {
  const auto copy = [&request](int from, int to) {
    return Copy{{from, BufferKind::send, static_cast<Bytes>(to) * request.block},
                {to, BufferKind::recv, static_cast<Bytes>(from) * request.block},
                request.block};
  };
  const auto own = [copy](int self) { return copy(self, self); };
  return build_direct(request, method, rank, {copy, own});
}

}  // namespace conccl::plan
