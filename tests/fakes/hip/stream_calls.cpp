// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>
#include <span>

#include "tests/fakes/hip/settings.hpp"
#include "tests/fakes/hip/stream.hpp"

namespace conccl::test::fake_hip {
namespace {

constexpr int kGreatestPriority = -1;

/// Does something with the stream, unless the call of this name is to fail or there is none.
template <typename Action>
hipError_t with_stream(const char* name, hipStream_t handle, Action action) {
  if (settings().strikes(name)) return hipErrorUnknown;
  hipStream_t stream = find_stream(handle);
  return stream == nullptr ? hipErrorInvalidHandle : action(*stream);
}

}  // namespace

CONCCL_FAKE_HIP_API hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (settings().strikes("hipDeviceGetStreamPriorityRange")) return hipErrorUnknown;
  *least = 1;
  *greatest = kGreatestPriority;
  return hipSuccess;
}

CONCCL_FAKE_HIP_API hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned /*flags*/,
                                                           int priority) {
  if (settings().strikes("hipStreamCreateWithPriority")) return hipErrorUnknown;
  *stream = make_stream();
  counters().units = 0;
  counters().priority = -priority;
  return hipSuccess;
}

CONCCL_FAKE_HIP_API hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream,
                                                            std::uint32_t words,
                                                            const std::uint32_t* mask) {
  if (settings().strikes("hipExtStreamCreateWithCUMask")) return hipErrorUnknown;
  if (words == 0 || mask == nullptr) return hipErrorInvalidValue;
  int units = 0;
  for (const std::uint32_t word : std::span(mask, words)) units += std::popcount(word);
  *stream = make_stream();
  counters().units = units;
  counters().priority = 0;
  return hipSuccess;
}

CONCCL_FAKE_HIP_API hipError_t hipStreamDestroy(hipStream_t stream) {
  return destroy_stream(stream) ? hipSuccess : hipErrorInvalidHandle;
}

CONCCL_FAKE_HIP_API hipError_t hipStreamQuery(hipStream_t stream) {
  return with_stream("hipStreamQuery", stream, [](ihipStream_t& found) {
    return found.idle() ? hipSuccess : hipErrorNotReady;
  });
}

CONCCL_FAKE_HIP_API hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  return with_stream("hipStreamGetDevice", stream, [device](const ihipStream_t& found) {
    *device = found.device();
    return hipSuccess;
  });
}

CONCCL_FAKE_HIP_API hipError_t hipStreamIsCapturing(hipStream_t stream,
                                                    hipStreamCaptureStatus* status) {
  return with_stream("hipStreamIsCapturing", stream, [status](const ihipStream_t&) {
    const auto capturing = settings().capturing();
    if (capturing == 2) return hipErrorStreamCaptureImplicit;
    *status = capturing == 0 ? hipStreamCaptureStatusNone : hipStreamCaptureStatusActive;
    return hipSuccess;
  });
}

CONCCL_FAKE_HIP_API hipError_t hipStreamWaitValue64(hipStream_t stream, void* address,
                                                    std::uint64_t value, unsigned flags,
                                                    std::uint64_t mask) {
  return with_stream("hipStreamWaitValue64", stream, [=](ihipStream_t& found) {
    if (address == nullptr || flags != hipStreamWaitValueGte) return hipErrorInvalidValue;
    found.wait(static_cast<std::uint64_t*>(address), value, mask);
    return hipSuccess;
  });
}

CONCCL_FAKE_HIP_API hipError_t hipStreamWriteValue64(hipStream_t stream, void* address,
                                                     std::uint64_t value, unsigned /*flags*/) {
  return with_stream("hipStreamWriteValue64", stream, [=](ihipStream_t& found) {
    if (address == nullptr) return hipErrorInvalidValue;
    found.write(static_cast<std::uint64_t*>(address), value);
    return hipSuccess;
  });
}

CONCCL_FAKE_HIP_API hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void*),
                                                 void* data) {
  return with_stream("hipLaunchHostFunc", stream, [=](ihipStream_t& found) {
    found.launch([=] { function(data); });
    return hipSuccess;
  });
}

CONCCL_FAKE_HIP_API hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  if (settings().strikes("hipEventCreateWithFlags")) return hipErrorUnknown;
  *event = new ihipEvent_t{flags};
  ++counters().events;
  return hipSuccess;
}

CONCCL_FAKE_HIP_API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return with_stream("hipEventRecord", stream, [event](ihipStream_t& found) {
    found.record(event->flags);
    return hipSuccess;
  });
}

CONCCL_FAKE_HIP_API hipError_t hipEventDestroy(hipEvent_t event) {
  delete event;
  --counters().events;
  return hipSuccess;
}

}  // namespace conccl::test::fake_hip
