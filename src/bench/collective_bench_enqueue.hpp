// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a call costs the thread that enqueues it.
#pragma once

#include <string>

#include "bench/collective_bench_timer.hpp"

namespace conccl::bench {

/// Enqueues `call` in bursts so short that no stream is full, and waits for each. Collective; all
/// ranks get the same. Where one thread drives several ranks a cost is its share per rank.
[[nodiscard]] EnqueueCost enqueue_cost(Ranks& ranks, CallTimer& timer, Call& call);

}  // namespace conccl::bench
