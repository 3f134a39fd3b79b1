// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Plan`: the waist of the project. Builders make plans; the verifier proves them, a backend runs
/// them, the model times them. docs/design.md says what the words mean.
///
/// A plan holds, per rank, *lanes*. Lanes run side by side; only flags order them across. Within a
/// lane, copies between two fences are unordered (batches and engines may overlap them); every
/// other step is a fence: it comes after all earlier steps of its lane and before all later ones.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "conccl/core/units.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::plan {

enum class BufferKind : std::uint8_t { send, recv, scratch };

/// A place in a rank's buffer; plans name buffers, not addresses.
struct Ref {
  std::int32_t rank = 0;
  BufferKind buffer = BufferKind::send;
  Bytes offset = 0;

  friend bool operator==(const Ref&, const Ref&) = default;
};

/// Push: src is local to the lane's rank. Pull: dst is. One of them must be.
struct Copy {
  Ref src;
  Ref dst;
  Bytes bytes = 0;

  friend bool operator==(const Copy&, const Copy&) = default;
};

/// Raises flag `flag` of rank `rank`, after all earlier steps of the lane, their bytes visible
/// there. Each flag is raised by exactly one step per plan.
struct Signal {
  std::int32_t rank = 0;
  std::int32_t flag = 0;

  friend bool operator==(const Signal&, const Signal&) = default;
};

/// Until flag `flag` of the lane's own rank is raised. Any number of steps may wait for one flag.
struct Wait {
  std::int32_t flag = 0;

  friend bool operator==(const Wait&, const Wait&) = default;
};

/// A task of the caller, by its index in `Plan::tasks` (a GEMM, or a piece of one). It touches none
/// of the plan's buffers.
struct Compute {
  std::int32_t task = 0;

  friend bool operator==(const Compute&, const Compute&) = default;
};

using Step = std::variant<Copy, Signal, Wait, Compute>;
static_assert(std::is_trivially_copyable_v<Step> && sizeof(Step) <= 48,
              "a plan of 1,024 ranks has five million steps");

/// Where a lane's work runs.
enum class Engine : std::uint8_t { dma, compute };

/// Which compute units a compute lane may use: all of them, `units` of them, or all but `units`.
/// Lanes that ask for `only` k and `all_but` k on one device get disjoint units.
struct Share {
  enum class Kind : std::uint8_t { all, only, all_but };
  Kind kind = Kind::all;
  int units = 0;

  friend bool operator==(const Share&, const Share&) = default;
};

enum class Priority : std::uint8_t { normal, high };

struct Lane {
  std::string label;  ///< for people and timelines: "comm0", "gemm"
  Engine engine = Engine::dma;
  Share share;  ///< compute lanes only
  Priority priority = Priority::normal;
  int launch_rank = 0;  ///< lanes of a rank are enqueued in this order, then in list order
  std::vector<Step> steps;

  friend bool operator==(const Lane&, const Lane&) = default;
};

/// One rank's part of a plan.
struct RankPlan {
  std::vector<Lane> lanes;

  friend bool operator==(const RankPlan&, const RankPlan&) = default;
};

struct Plan {
  Request request;
  std::string algorithm;           ///< for people: "direct push, dma"
  Bytes scratch_bytes = 0;         ///< per rank
  int flags = 0;                   ///< per rank; steps use 0 .. flags - 1
  std::vector<std::string> tasks;  ///< names of the caller's tasks
  std::vector<RankPlan> ranks;     ///< request.ranks entries

  friend bool operator==(const Plan&, const Plan&) = default;
};

[[nodiscard]] std::size_t step_count(const Plan& plan);
/// Size of `buffer` on each rank of the plan.
[[nodiscard]] Bytes buffer_bytes(const Plan& plan, BufferKind buffer);

[[nodiscard]] std::string_view name_of(BufferKind buffer);
[[nodiscard]] std::string_view name_of(Engine engine);

/// "copy send+0 -> rank 2 recv+4096, 64K bytes", "signal rank 2 flag 3", "wait flag 1", "compute
/// gemm".
[[nodiscard]] std::string to_string(const Plan& plan, int rank, const Step& step);

}  // namespace conccl::plan
