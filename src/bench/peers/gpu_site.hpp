// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Where calls into a vendor's CUDA library are made, and what they enqueue there.
#pragma once

#include <functional>
#include <string>

#include "conccl/backend/queue.hpp"

namespace conccl::bench {

/// A GPU's context and a stream of it, as the driver's handles. Not an owner.
struct GpuSite {
  void* context = nullptr;
  void* stream = nullptr;

  /// Makes the context the thread's current one. Throws RunError.
  void enter() const;
};

/// The site of a queue of the CUDA backend, which must outlive it. Throws Unavailable where there
/// is no driver, InputError for a queue of another backend.
[[nodiscard]] GpuSite site_of(backend::Queue& queue);

/// What some calls would have a GPU do.
struct CapturedCalls {
  int kernels = 0;
  int copies = 0;
  int flag_operations = 0;  ///< writes and waits of stream memory operations
  int others = 0;
};

/// Has `enqueue` fill a graph instead of the site's stream, and counts what is in it. Nothing runs.
/// Throws RunError where that cannot be captured.
[[nodiscard]] CapturedCalls record(const GpuSite& site, const std::function<void(void*)>& enqueue);

/// "3 copies, 2 flag operations, 0 kernels".
[[nodiscard]] std::string to_string(const CapturedCalls& recorded);

}  // namespace conccl::bench
