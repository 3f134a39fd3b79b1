// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Executor`: runs one rank's part of a plan on that rank's device.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "conccl/backend/device.hpp"
#include "conccl/plan/plan.hpp"

namespace conccl::backend {

/// Addresses of one rank's buffers; a buffer no step names may stay null.
struct RankBuffers {
  std::byte* send = nullptr;
  std::byte* recv = nullptr;
  std::byte* scratch = nullptr;
};

/// When a lane's first step could start and when its last had ended, on the device's clock.
struct LaneTimes {
  Timestamp start{};
  Timestamp end{};
};

/// What a launch does with its flags.
enum class FlagUse {
  sequence,  ///< raises them to `Bindings::sequence` and never lowers them
  reset      ///< raises them to 1, and who has waited for one lowers it: such work can run again
};

/// Everything a plan leaves open. Views only: what they point to must outlive the run.
struct Bindings {
  int rank = 0;                          ///< whose lanes run
  std::span<const RankBuffers> buffers;  ///< by rank
  std::span<FlagBlock* const> flags;     ///< by rank
  std::span<const int> first_flags;      ///< by rank: flag 0 of the plan; empty: that of the block
  FlagUse use = FlagUse::sequence;
  std::uint64_t sequence = 0;    ///< grows from call to call
  std::span<Task* const> tasks;  ///< by Plan::tasks index
  std::span<LaneTimes> times;    ///< by lane; empty: not measured
};

/// Holds one queue per kind of lane and reuses them. One thread at a time. Destruction drops lanes
/// whose stream has not reached them and waits for those that run; so destroy it when the streams
/// have passed its launches, or when their failure is known.
class Executor {
 public:
  /// `device` must outlive the executor.
  explicit Executor(Device& device) : device_(device) {}
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Makes the queues that the lanes need beside `stream`, so that a later `launch` of them cannot
  /// lack one: call it before anything that belongs to the launch is recorded on a stream. Throws
  /// Unavailable when the device lacks a lane's engine or share, RunError when it has no queue
  /// left.
  void prepare(const plan::RankPlan& lanes, const Queue& stream);

  /// Enqueues the lanes so that they start once `stream` has reached this point, and lets `stream`
  /// go on once all have ended; the caller then submits `stream`. One lane runs in the stream
  /// itself if the stream serves its kind. Does not block. A stream that is being captured takes
  /// all lanes into its graph. Throws as `prepare`, and Unavailable when flags are to be reset and
  /// one is waited for twice; nothing is enqueued then.
  void launch(const plan::RankPlan& lanes, const Bindings& bindings, Queue& stream);

 private:
  using Key =
      std::tuple<std::size_t, std::string, plan::Engine, plan::Share::Kind, int, plan::Priority>;

  /// One that is free to work in `capture`, as Queue numbers them.
  [[nodiscard]] Queue& queue_of(const plan::Lane& lane, std::size_t index, std::uint64_t capture);

  Device& device_;
  /// By lane index and what the lane asks for; several where captures are under way.
  std::map<Key, std::vector<std::unique_ptr<Queue>>> queues_;
  std::vector<Queue*> chosen_;      ///< by lane; null: the one that runs in the stream itself
  std::vector<std::size_t> order_;  ///< in which lanes are launched
};

}  // namespace conccl::backend
