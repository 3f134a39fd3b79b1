// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `conccl bench`: one collective over a range of sizes, with nccl-tests' method and columns.
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
#include "conccl/comm/communicator.hpp"

namespace conccl::bench {

struct CollectiveBenchOptions {
  plan::Collective collective = plan::Collective::all_gather;
  Launch launch = Launch::threads;
  int ranks = 4;
  Bytes min_bytes = kKiB;
  Bytes max_bytes = 64 * kMiB;
  Bytes step_bytes = 0;  ///< increment between sizes; used when `factor` is 0
  int factor = 2;        ///< multiplication between sizes
  int iterations = 20;
  int warmup = 5;
  int checks = 1;  ///< checked iterations per size; 0: none, and `wrong` is empty
  DataType type = DataType::float32;
  comm::Policy policy = comm::Policy::automatic;
  plan::Direction direction = plan::Direction::push;
  std::uint64_t seed = 1;
  std::chrono::milliseconds deadline{30'000};
};

/// One side (out of place or in place) of a line. `algbw` is bytes / time; `busbw` is `algbw` times
/// `(ranks - 1) / ranks`, the share that crosses links.
struct BenchSide {
  double time_us = 0;  ///< mean over the iterations, enqueued back to back; slowest rank
  double algbw_gbps = 0;
  double busbw_gbps = 0;
  /// Wrong elements over all ranks and checked iterations: wrong bytes as whole elements, rounded
  /// up. Empty: not checked.
  std::optional<std::uint64_t> wrong;
};

struct BenchLine {
  Bytes bytes =
      0;  ///< rounded down to what the ranks can share in whole elements, as nccl-tests do
  std::uint64_t count = 0;  ///< elements per rank as the call gets them
  BenchSide out_of_place;
  std::optional<BenchSide> in_place;  ///< none for all_to_all
};

/// Runs each size and hands every line to `line`. Throws InputError for sizes, factors or counts
/// that make no sense, RunError, Interrupted, and CheckFailed (after the last line of a size with
/// wrong elements was handed out) naming rank, offset, expected and found. With `Launch::processes`
/// every process of the run calls it with the same options and gets the same lines.
std::vector<BenchLine> run_collective_bench(backend::Backend& backend,
                                            const CollectiveBenchOptions& options,
                                            const std::function<void(const BenchLine&)>& line,
                                            const std::atomic<bool>* interrupt = nullptr);

/// nccl-tests' heading and one line of its table; `average_busbw` over lines and sides.
[[nodiscard]] std::string bench_head(const CollectiveBenchOptions& options);
[[nodiscard]] std::string bench_row(const CollectiveBenchOptions& options, const BenchLine& line);
[[nodiscard]] std::string bench_foot(const std::vector<BenchLine>& lines);

inline constexpr std::string_view kBenchSchema = "conccl.bench/2";

/// What there is to say of a run, finished or not.
struct BenchRun {
  std::string machine;
  bool emulation = false;  ///< times show function, not hardware
  bool partial = false;    ///< interrupted or failed: `lines` holds the sizes that were finished
  std::vector<BenchLine> lines;
};

/// JSON with `"schema": "conccl.bench/2"`.
[[nodiscard]] std::string bench_json(const CollectiveBenchOptions& options, const BenchRun& run);

}  // namespace conccl::bench
