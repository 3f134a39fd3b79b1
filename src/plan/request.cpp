// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/plan/request.hpp"

#include <fmt/format.h>

#include <array>

#include "conccl/core/errors.hpp"

namespace conccl::plan {
namespace {

struct NamedCollective {
  Collective collective;
  std::string_view name;
};

constexpr std::array kCollectives{
    NamedCollective{Collective::all_gather, "all_gather"},
    NamedCollective{Collective::all_to_all, "all_to_all"},
};

}  // namespace

void validate(const Request& request) {
  if (request.ranks < 1 || request.ranks > kMaxRanks) {
    throw InputError(fmt::format("ranks: {} is not in 1 .. {}", request.ranks, kMaxRanks));
  }
  static_cast<void>(
      checked_product(request.block, static_cast<Bytes>(request.ranks), "bytes of the collective"));
  if (request.collective == Collective::all_to_all && request.placement == Placement::in_place) {
    throw InputError(
        "in-place all_to_all: not supported, it would overwrite blocks that peers have "
        "not read; use separate send and recv buffers");
  }
}

Bytes send_bytes(const Request& request) {
  if (request.placement == Placement::in_place) return 0;
  return request.collective == Collective::all_gather ? request.block : total_bytes(request);
}

Bytes recv_bytes(const Request& request) { return total_bytes(request); }

Bytes total_bytes(const Request& request) {
  return static_cast<Bytes>(request.ranks) * request.block;
}

std::string_view name_of(Collective collective) {
  for (const auto& entry : kCollectives) {
    if (entry.collective == collective) return entry.name;
  }
  return "unknown";
}

Collective parse_collective(std::string_view name) {
  std::string known;
  for (const auto& entry : kCollectives) {
    if (entry.name == name) return entry.collective;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  }
  throw InputError(fmt::format("collective: '{}' is not known; known are {}", name, known));
}

const std::vector<Collective>& all_collectives() {
  static const std::vector<Collective> all = [] {
    std::vector<Collective> list;
    for (const auto& entry : kCollectives) list.push_back(entry.collective);
    return list;
  }();
  return all;
}

}  // namespace conccl::plan
