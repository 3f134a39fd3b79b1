// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/caller_stream.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::hip {

abi::hipStream_t caller_stream(Hip& hip, int gpu, void* stream) {
  const int ordinal = hip.gpu(gpu).ordinal;
  const auto number = reinterpret_cast<std::uintptr_t>(stream);
  if (number == 0 || number == abi::kStreamLegacy) return nullptr;
  if (number == abi::kStreamPerThread) {
    throw InputError(
        "hipStreamPerThread: expected a stream that is the same one on every thread, as of "
        "hipStreamCreateWithFlags");
  }
  auto* const handle = static_cast<abi::hipStream_t>(stream);
  if (hip.calls().hipStreamGetDevice == nullptr) return handle;
  abi::hipDevice_t device = 0;
  const auto answer = hip.calls().hipStreamGetDevice(handle, &device);
  if (answer != abi::hipSuccess) {
    throw InputError(fmt::format("stream {}: expected one that is alive: HIP says {}",
                                 fmt::ptr(stream), text_of(hip.calls(), answer)));
  }
  if (device == ordinal) return handle;
  throw InputError(fmt::format("stream {}: is of HIP device {}, expected {}, this rank's GPU {}",
                               fmt::ptr(stream), device, ordinal, gpu));
}

std::uint64_t id_of_stream(abi::hipStream_t stream, int gpu) {
  // No handle is as small as a GPU's index.
  if (stream == nullptr) return static_cast<std::uint64_t>(gpu) + 1;
  return reinterpret_cast<std::uintptr_t>(stream);
}

void refuse_capture(const HipCalls& calls, abi::hipStream_t stream, int gpu) {
  auto status = abi::hipStreamCaptureStatusNone;
  const auto answer = calls.hipStreamIsCapturing(stream, &status);
  if (answer == abi::hipErrorStreamCaptureImplicit) {
    throw InputError(
        "the legacy default stream cannot be used while a stream that it waits for is being "
        "captured: use a stream made with hipStreamNonBlocking");
  }
  check(calls, answer, {"hipStreamIsCapturing", gpu});
  if (status == abi::hipStreamCaptureStatusNone) return;
  throw InputError(fmt::format(
      "stream {}: is being captured: what the HSA backend does cannot be put into a graph",
      fmt::ptr(stream)));
}

}  // namespace conccl::backend::hsa::hip
