// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Streams that a caller brings.
#pragma once

#include <cstdint>

#include "backend/hsa/hip/hip.hpp"

namespace conccl::backend::hsa::hip {

/// `stream` as HIP takes it: null for the legacy default stream of GPU `gpu`. Throws InputError for
/// hipStreamPerThread, which is another one on every thread, and for what is not a stream of that
/// GPU; Unavailable where HIP does not see the GPU.
[[nodiscard]] abi::hipStream_t caller_stream(Hip& hip, int gpu, void* stream);

/// What Device::stream_id gives: its handle. A stream made later may have the same one, and the
/// same queue serves both, for the queue keeps nothing of the stream but the handle.
[[nodiscard]] std::uint64_t id_of_stream(abi::hipStream_t stream, int gpu);

/// Throws InputError when what is put into `stream` now would go into a graph, or must not be put
/// into it because of a capture elsewhere. HIP's current device is GPU `gpu`.
void refuse_capture(const HipCalls& calls, abi::hipStream_t stream, int gpu);

}  // namespace conccl::backend::hsa::hip
