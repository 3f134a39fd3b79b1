// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Runs as a trace that Perfetto (ui.perfetto.dev) and chrome://tracing open. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/trace/traced_run.hpp"

namespace conccl::bench {

inline constexpr std::string_view kTraceSchema = "conccl.trace/1";

/// `per_rank`: devices have clocks of their own, and each rank's time 0 is the start of its own
/// first piece of work. `shared`: all ranks read one clock, and time 0 is the first piece of any.
enum class TraceClock : std::uint8_t { per_rank, shared };

/// What the whole file says of itself.
struct TraceHeading {
  std::string machine;
  bool emulation = false;  ///< times show function, not hardware
  TraceClock clock = TraceClock::per_rank;
};

/// JSON with `"schema": "conccl.trace/1"` under `otherData`. Per run, one process per rank with one
/// thread per lane and unit, a counter of the rank's copy rate, and one process for each tracer's
/// records with one thread per channel. All runs begin at 0, one below the other.
[[nodiscard]] std::string trace_json(const TraceHeading& heading,
                                     const std::vector<TracedRun>& runs);

}  // namespace conccl::bench
