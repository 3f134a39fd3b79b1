// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/plan/build.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"
#include "plan/collectives/direct.hpp"

namespace conccl::plan {
namespace {

void validate(const Method& method) {
  if (method.form == Form::dma && method.engines < 1) {
    throw InputError(fmt::format("engines: {} is not at least 1", method.engines));
  }
  if (method.share.kind != Share::Kind::all && method.share.units < 1) {
    throw InputError(fmt::format("compute units: {} is not at least 1", method.share.units));
  }
}

std::string algorithm_name(const Method& method) {
  return fmt::format("direct {}, {}", method.direction == Direction::push ? "push" : "pull",
                     method.form == Form::dma ? "dma" : "compute units");
}

RankPlan lanes_of(const Request& request, const Method& method, int rank) {
  switch (request.collective) {
    case Collective::all_gather:
      return build_all_gather(request, method, rank);
    case Collective::all_to_all:
      return build_all_to_all(request, method, rank);
  }
  throw InputError("collective: not known");
}

}  // namespace

Plan build_frame(const Request& request, const Method& method) {
  validate(request);
  validate(method);
  Plan plan;
  plan.request = request;
  plan.algorithm = algorithm_name(method);
  plan.flags = direct_flags(request.ranks);
  return plan;
}

RankPlan build_rank(const Request& request, const Method& method, int rank) {
  validate(request);
  validate(method);
  if (rank < 0 || rank >= request.ranks) {
    throw InputError(fmt::format("rank: {} is not in 0 .. {}", rank, request.ranks - 1));
  }
  return lanes_of(request, method, rank);
}

Plan build(const Request& request, const Method& method) {
  Plan plan = build_frame(request, method);
  plan.ranks.reserve(static_cast<std::size_t>(request.ranks));
  for (int rank = 0; rank < request.ranks; ++rank) {
    plan.ranks.push_back(lanes_of(request, method, rank));
  }
  return plan;
}

}  // namespace conccl::plan
