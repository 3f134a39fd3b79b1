// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Communicator`: one rank's handle on a group of ranks that run collectives together.
///
/// Rules, as NCCL's: every rank makes the same calls in the same order; one thread that drives
/// several ranks wraps each set of calls in a `Group`. A call enqueues on the caller's stream and
/// returns; buffers must stay untouched until the stream has passed it. One thread at a time, but
/// for `abort` and `async_error`.
///
/// Buffers are *ordinary* (any memory of the rank's device: each call tells the peers its addresses
/// and waits, on the host, for theirs) or lie in a *window* (registered once by all ranks: no
/// exchange per call, the host never waits).
///
/// Graphs. A collective on a stream that is being captured becomes part of the graph; its buffers
/// must lie in windows. All ranks capture it, as one of the calls that they make in the same order,
/// and wait for one another on the host while they do, at most the deadline. Then each launches its
/// graph as often as the others, in the same order among graphs and calls; launches of one graph,
/// or of what was made from one, must not run side by side on a rank. A graph keeps what its
/// windows need until it is destroyed, which should be before the communicator is: after that it
/// must not be launched. The deadline does not hold for replays, a rank's end and `abort` do.
/// Registrations and exchanges are never part of a graph: they are done when called.
///
/// Failure. A rank that does not come within the deadline, calls that do not match, and `abort`
/// poison the communicator: queued waits are released, later calls throw RunError with the reason,
/// and `async_error` returns it. Recv buffers of everything enqueued are then undefined on all
/// ranks, and a stream that completes says nothing: check `async_error`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conccl/backend/executor.hpp"
#include "conccl/comm/unique_id.hpp"
#include "conccl/core/data_type.hpp"
#include "conccl/core/gemm_shape.hpp"
#include "conccl/plan/build.hpp"

namespace conccl::comm {

/// What may carry a collective. `dma`: DMA engines or an error with the reason, never anything
/// else. `automatic`: DMA where the device has it, compute units elsewhere. On a known machine
/// (`Options::machine`) the advisor takes one of the two for each request, by the GEMM beside it
/// (`Communicator::concurrent_compute`), else by its size. Which it was is counted in `Statistics`
/// and logged, with the reason, once per request and GEMM.
enum class Policy { automatic, dma, compute };

/// Throws InputError listing "auto", "dma", "compute".
[[nodiscard]] Policy parse_policy(std::string_view name);

struct Options {
  std::string name = "world";  ///< in messages; several communicators may share a device
  Policy policy = Policy::automatic;
  plan::Direction direction = plan::Direction::push;
  /// For `automatic`: the name of a machine that comes with the library, or a path to a machine
  /// file, read when ranks join; empty: not known. It must have figures for the model of contention
  /// and be of the ranks' backend, with one device for each rank.
  std::string machine;
  /// The longest a call waits for the peers, and the longest a collective may take until it is
  /// complete on every rank: from its call, or from the completion of the one before it.
  std::chrono::milliseconds deadline{30'000};
};

/// How many collectives went which way.
struct Statistics {
  std::uint64_t dma = 0;
  std::uint64_t compute = 0;
};

/// A buffer all ranks have registered, in the same order and of the same size. A view:
/// deregistration is `Communicator::deregister`, until which the buffer's allocation stays in place
/// even when its owner frees it. Memory that is not of the rank's device must outlive it.
struct Window {
  int id = -1;
};

/// A plan of the caller's making, run as if it were a collective: the C3 strategies are such plans.
/// Its flags must have one writer each, the same in every plan run on the communicator.
struct PlanCall {
  const plan::RankPlan* lanes = nullptr;  ///< this rank's; must outlive the run
  plan::Request request;
  int flags = 0;  ///< Plan::flags
  const void* send = nullptr;
  void* recv = nullptr;
  std::span<backend::Task* const> tasks;  ///< must outlive the run
  std::span<backend::LaneTimes> times;    ///< by lane; empty: not measured
};

/// A rank's number among how many.
struct RankOf {
  int rank = 0;
  int ranks = 1;
};

class Session;

class Communicator {
 public:
  /// One communicator per device, rank i on `devices[i]`, all in this process. `devices` and
  /// `backend` must outlive them. Throws InputError for 0 or more than plan::kMaxRanks devices, and
  /// naming a machine file that is malformed or not of these devices.
  [[nodiscard]] static std::vector<Communicator> init_all(
      const backend::Backend& backend, std::span<const std::unique_ptr<backend::Device>> devices,
      const Options& options = {});

  /// Rank `rank` of `ranks`, each in a process of its own or a thread of its own; blocks until all
  /// have joined. `id` is the same on every rank. Only memory of the ranks' devices can take part
  /// (`Device::allocate`): other processes reach nothing else, and other memory is refused by name.
  /// The ranks' processes must be on one machine and in one network namespace, and may be in
  /// different PID, mount and IPC namespaces. `backend` and `device` must outlive the communicator.
  /// Throws InputError for a rank that is not in 0 .. ranks - 1 and as `init_all` for a machine
  /// file, RunError when the ranks do not come together within the deadline (naming those that are
  /// missing), two have the same number, their options or machines differ, or the id is not that of
  /// an open meeting point.
  [[nodiscard]] static Communicator init_rank(const backend::Backend& backend,
                                              backend::Device& device, const UniqueId& id,
                                              const RankOf& place, const Options& options = {});

  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  /// Waits for this rank's queued work, at most the deadline; what is then still queued fails on
  /// every rank, and is given the deadline once more to be let go. So it takes at most twice the
  /// deadline.
  ~Communicator();

  [[nodiscard]] int rank() const;
  [[nodiscard]] int ranks() const;
  [[nodiscard]] backend::Device& device() const;
  [[nodiscard]] const Options& options() const;
  [[nodiscard]] Statistics statistics() const;

  /// Says which GEMM runs beside the collectives that are called from now on (in groups too, and in
  /// captures, which keep what was chosen); nullopt: none that is known. Ranks say it alike between
  /// the same calls: a collective before which they were told differently is a call that does not
  /// match. Does not block. Throws InputError, changing nothing, for dimensions outside 1 .. 2^31 -
  /// 1 and for a GEMM that the machine file lacks a figure for.
  void concurrent_compute(const std::optional<GemmSpec>& gemm);

  /// recv (ranks * count elements) gets every rank's `count` elements of send, in order of rank. In
  /// place when `send == recv + rank * count` elements.
  void all_gather(const void* send, void* recv, std::uint64_t count, DataType type,
                  backend::Queue& stream);
  /// send and recv hold ranks * count elements; block r of send goes to rank r. Never in place.
  void all_to_all(const void* send, void* recv, std::uint64_t count, DataType type,
                  backend::Queue& stream);
  /// Throws InputError for a plan that is not this rank's or has flags or tasks that it was not
  /// given, and for a stream that is being captured.
  void run(const PlanCall& call, backend::Queue& stream);

  /// Collective: blocks until every rank has registered its buffer. Calls whose send
  /// and recv both lie in windows skip the exchange. One thread driving several ranks must group.
  [[nodiscard]] Window register_window(void* data, Bytes bytes);
  /// The window may no longer be used by calls; those enqueued go on. Not collective. Throws
  /// InputError for a window that is not registered.
  void deregister(Window window);
  /// Where this process reaches the buffer that `rank` registered, until it is deregistered; null
  /// when it registered no bytes. For copies of the caller's own. Throws InputError for a window
  /// that is not registered and a rank that is none.
  [[nodiscard]] void* address(Window window, int rank) const;

  /// The most bytes one rank gives to `exchange`.
  static constexpr std::size_t kMaxExchange = 448;
  /// Collective, on the host: gives every rank the bytes of all, by rank; sizes may differ. Blocks
  /// until all have called it. For small facts (addresses, times, the id of a further
  /// communicator); every rank needs its own thread. Throws InputError for more than kMaxExchange.
  [[nodiscard]] std::vector<std::vector<std::byte>> exchange(std::span<const std::byte> mine);

  /// Collective, on the host, as `exchange`: `count` flags on every rank, which all ranks can raise
  /// and wait for. By rank; owned by the communicator, which they must not outlive. For harnesses:
  /// collectives have flags of their own.
  [[nodiscard]] std::vector<backend::FlagBlock*> shared_flags(int count);

  /// Poisons the communicator on every rank; `why` is added to the reason. Any thread.
  void abort(std::string_view why = {});
  /// Why the communicator is poisoned; nullopt while it is not. Any thread.
  [[nodiscard]] std::optional<std::string> async_error() const;

  class State;

 private:
  explicit Communicator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Between construction and `end`, calls of this thread on any communicator are collected; `end`
/// posts all of them and only then waits and enqueues. Groups nest; the outermost does the work.
/// Without `end` (an exception, say) the collected calls are dropped.
class Group {
 public:
  Group();
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  /// Throws what the first failing call throws.
  void end();

 private:
  bool open_ = true;
};

/// Opens `ranks` devices of a backend: 0 .. ranks - 1. Throws InputError for 0 or more than it can
/// serve, and as Backend::open_device.
[[nodiscard]] std::vector<std::unique_ptr<backend::Device>> open_devices(backend::Backend& backend,
                                                                         int ranks);

}  // namespace conccl::comm
