// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Tracer`: records what the devices of this process do.
#pragma once

#include <functional>
#include <memory>

#include "bench/evidence/records.hpp"

namespace conccl::bench {

/// One thread at a time. Recording slows launches, so nothing that is timed runs between `start`
/// and `stop`; once the tracer is destroyed, nothing of it is left in the process.
class Tracer {
 public:
  virtual ~Tracer() = default;

  /// The devices must be idle. Throws Unavailable with the reason; nothing is recorded then.
  virtual void start() = 0;
  /// What ran since `start`, which must have ended. Throws Unavailable with the reason when records
  /// were lost. Recording is over in either case.
  [[nodiscard]] virtual Evidence stop() = 0;
};

/// Throws Unavailable with the reason.
using OpenTracer = std::function<std::unique_ptr<Tracer>()>;

/// NVIDIA's CUPTI, opened at run time from the path in CONCCL_CUPTI, else by the loader, else from
/// where CUDA is installed. One of them at a time in a process; when it is destroyed the devices
/// must be idle and no thread in a call of CUDA. Throws Unavailable with the reason.
[[nodiscard]] std::unique_ptr<Tracer> open_cupti();

}  // namespace conccl::bench
