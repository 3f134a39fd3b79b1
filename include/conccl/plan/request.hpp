// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Request`: what is asked of a collective, in words of its definition, never of its algorithm.
#pragma once

#include <string_view>
#include <vector>

#include "conccl/core/units.hpp"

namespace conccl::plan {

enum class Collective { all_gather, all_to_all };

/// `in_place`: all-gather only. The rank's own block already lies at `rank * block` of recv and
/// there is no send buffer.
enum class Placement { out_of_place, in_place };

/// One collective. Every rank holds a send buffer of `send_bytes()` and a recv buffer of
/// `recv_bytes()`; `block` is what one rank contributes to one peer.
///
/// all-gather: recv of every rank, block s, is what rank s's send (in place: block s of its recv)
/// held at the start. all-to-all: recv of rank r, block s, is block r of rank s's send.
struct Request {
  Collective collective = Collective::all_gather;
  int ranks = 1;
  Bytes block = 0;
  Placement placement = Placement::out_of_place;

  friend bool operator==(const Request&, const Request&) = default;
};

inline constexpr int kMaxRanks = 65536;

/// Throws InputError for ranks outside 1 .. kMaxRanks, a size whose total exceeds 2^63 - 1, and
/// in-place all-to-all (it would overwrite blocks that peers have not read).
void validate(const Request& request);

/// Sizes of each rank's buffers. An in-place request has no send buffer (0).
[[nodiscard]] Bytes send_bytes(const Request& request);
[[nodiscard]] Bytes recv_bytes(const Request& request);

/// Bytes of the collective as nccl-tests count them: all-gather, the whole output; all-to-all, one
/// rank's whole send buffer. Both are `ranks * block`.
[[nodiscard]] Bytes total_bytes(const Request& request);

/// "all_gather", "all_to_all".
[[nodiscard]] std::string_view name_of(Collective collective);
/// Throws InputError listing the known names.
[[nodiscard]] Collective parse_collective(std::string_view name);
[[nodiscard]] const std::vector<Collective>& all_collectives();

}  // namespace conccl::plan
