// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `conccl bench`: one collective over a range of sizes, with nccl-tests' columns; where wanted, by
/// several methods, and beside other libraries and bare copies.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/backend/device.hpp"
#include "conccl/bench/launch.hpp"
#include "conccl/bench/report.hpp"
#include "conccl/comm/communicator.hpp"
#include "conccl/core/statistics.hpp"

namespace conccl::bench {

/// How calls are made. `host`: each is enqueued and waited for; `stream`: back to back in a stream;
/// `graph`: captured, as many as there are iterations, and replayed.
enum class CallMethod { host, stream, graph };

[[nodiscard]] std::string_view name_of(CallMethod method);
/// Throws InputError listing the names.
[[nodiscard]] CallMethod parse_call_method(std::string_view name);

/// "in place", "out of place".
[[nodiscard]] std::string_view name_of(plan::Placement placement);

/// Ours and the yardstick, among `BenchRun::libraries`; the rest are peers.
inline constexpr std::string_view kOwnLibrary = "conccl";
inline constexpr std::string_view kBareCopies = "copy";

/// The most iterations a graph may have.
inline constexpr int kMostCaptured = 1000;

/// What is measured besides.
enum class Wanted { no, yes };

struct CollectiveBenchOptions {
  plan::Collective collective = plan::Collective::all_gather;
  std::vector<CallMethod> methods = {CallMethod::stream};
  Launch launch = Launch::threads;
  int ranks = 4;
  Bytes min_bytes = kKiB;
  Bytes max_bytes = 64 * kMiB;
  Bytes step_bytes = 0;  ///< increment between sizes; used when `factor` is 0
  int factor = 2;        ///< multiplication between sizes
  int iterations = 20;   ///< calls in a round
  int rounds = 5;        ///< every configuration once in each, in a shuffled order
  int warmup = 5;        ///< calls of each configuration before the rounds of a size
  int checks = 1;        ///< checked runs per size and configuration; 0: none, `wrong` is empty
  DataType type = DataType::float32;
  comm::Policy policy = comm::Policy::automatic;
  plan::Direction direction = plan::Direction::push;
  /// Names of other libraries; nullopt: all that can run here.
  std::optional<std::vector<std::string>> peers;
  Wanted copies = Wanted::no;   ///< bare copies of what crosses links, as a yardstick
  Wanted enqueue = Wanted::no;  ///< what it costs a thread to enqueue a call
  std::uint64_t seed = 1;
  std::chrono::milliseconds deadline{30'000};
};

/// One configuration at one size. Times are per call, over the rounds; the slowest rank counts.
struct BenchResult {
  std::string library;
  CallMethod method = CallMethod::stream;
  plan::Placement placement = plan::Placement::out_of_place;
  /// By the host's clock, until the last call is known to be done. `host`: a round is the median of
  /// its calls; else the mean.
  Summary host_us;
  /// By the stream's clock, from before the first call to behind the last. None for `host`.
  std::optional<Summary> device_us;
  /// Wrong elements over all ranks and checked runs: wrong bytes as whole elements, rounded up.
  /// Empty: not checked.
  std::optional<std::uint64_t> wrong;

  /// What counts: by the stream's clock where there is that.
  [[nodiscard]] const Summary& time_us() const { return device_us ? *device_us : host_us; }
};

struct BenchLine {
  Bytes bytes =
      0;  ///< rounded down to what the ranks can share in whole elements, as nccl-tests do
  std::uint64_t count = 0;  ///< elements per rank as the call gets them
  std::vector<BenchResult> results;

  /// Null where there is none: all_to_all is never in place.
  [[nodiscard]] const BenchResult* find(std::string_view library, CallMethod method,
                                        plan::Placement placement) const;
};

/// Bytes over the median time, and the share of it that crosses links: times `(ranks - 1) / ranks`.
[[nodiscard]] double algbw_gbps(const BenchLine& line, const BenchResult& result);
[[nodiscard]] double busbw_gbps(const BenchLine& line, const BenchResult& result, int ranks);

/// What one call costs the thread that enqueues it, over bursts; the slowest rank.
struct EnqueueCost {
  std::string library;
  std::string buffers;  ///< "window", "ordinary"
  Summary cpu_us;       ///< of the thread
  Summary wall_us;
};

/// What there is to say of a run, finished or not.
struct BenchRun {
  std::string machine;
  bool emulation = false;  ///< times show function, not hardware
  bool partial = false;    ///< interrupted or failed: `lines` holds the sizes that were finished
  std::vector<std::string> libraries;  ///< that ran, ours first
  std::vector<PeerFacts> peers;        ///< all that were looked for
  std::vector<EnqueueCost> enqueue;
  std::vector<BenchLine> lines;
};

/// From which size on ours is not slower than a peer, as far as the run went.
struct Crossover {
  std::string library;
  CallMethod method = CallMethod::stream;
  plan::Placement placement = plan::Placement::out_of_place;
  std::optional<Bytes> from;  ///< empty: at the largest size ours is slower
};
/// By method, placement and peer.
[[nodiscard]] std::vector<Crossover> crossovers_of(const BenchRun& run);

struct BenchHooks {
  std::function<void(const BenchRun&)> started;    ///< once it is known what will run
  std::function<void(const BenchRun&)> line_done;  ///< a line is new
  const std::atomic<bool>* interrupt = nullptr;    ///< set: stop soon
};

/// Runs each size. Throws InputError for sizes, factors or counts that make no sense, Unavailable
/// for a method that the backend has not, RunError, Interrupted, and CheckFailed (after the line of
/// a size with wrong elements was handed out) naming library, rank, offset, expected and found.
/// `run` holds at every moment what is finished, and is `partial` until the end. With
/// `Launch::processes` every process of the run calls it with the same options and gets the same.
void run_collective_bench(backend::Backend& backend, const CollectiveBenchOptions& options,
                          const BenchHooks& hooks, BenchRun& run);

/// nccl-tests' heading and line where one library ran by one method, else a table that compares;
/// behind it average bandwidth, crossovers and costs.
[[nodiscard]] std::string bench_head(const CollectiveBenchOptions& options, const BenchRun& run);
[[nodiscard]] std::string bench_row(const CollectiveBenchOptions& options, const BenchRun& run,
                                    const BenchLine& line);
[[nodiscard]] std::string bench_foot(const CollectiveBenchOptions& options, const BenchRun& run);

inline constexpr std::string_view kBenchSchema = "conccl.bench/3";

/// JSON with `"schema": "conccl.bench/3"`.
[[nodiscard]] std::string bench_json(const CollectiveBenchOptions& options, const BenchRun& run);

}  // namespace conccl::bench
