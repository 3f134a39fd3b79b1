// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The CUDA driver, opened at run time: nothing of it is linked, so that one program runs on
/// machines with and without it. Every call of the backend goes through here.
#pragma once

#include <cuda.h>

#include <chrono>

#include "conccl/core/units.hpp"

namespace conccl::backend::cuda {

/// What the backend cannot work without.
#define CONCCL_CUDA_CALLS(X)                \
  X(cuDriverGetVersion)                     \
  X(cuInit)                                 \
  X(cuGetErrorName)                         \
  X(cuGetErrorString)                       \
  X(cuDeviceGet)                            \
  X(cuDeviceGetCount)                       \
  X(cuDeviceGetName)                        \
  X(cuDeviceGetUuid)                        \
  X(cuDeviceGetAttribute)                   \
  X(cuDeviceTotalMem)                       \
  X(cuDeviceCanAccessPeer)                  \
  X(cuDevicePrimaryCtxRetain)               \
  X(cuDevicePrimaryCtxRelease)              \
  X(cuDevicePrimaryCtxGetState)             \
  X(cuCtxPushCurrent)                       \
  X(cuCtxPopCurrent)                        \
  X(cuCtxGetCurrent)                        \
  X(cuCtxEnablePeerAccess)                  \
  X(cuCtxGetStreamPriorityRange)            \
  X(cuStreamCreateWithPriority)             \
  X(cuStreamDestroy)                        \
  X(cuStreamQuery)                          \
  X(cuStreamGetId)                          \
  X(cuStreamGetDevice)                      \
  X(cuStreamWaitEvent)                      \
  X(cuStreamBatchMemOp)                     \
  X(cuStreamGetCaptureInfo)                 \
  X(cuStreamBeginCapture)                   \
  X(cuStreamEndCapture)                     \
  X(cuGraphInstantiateWithFlags)            \
  X(cuGraphLaunch)                          \
  X(cuGraphExecDestroy)                     \
  X(cuGraphDestroy)                         \
  X(cuThreadExchangeStreamCaptureMode)      \
  X(cuUserObjectCreate)                     \
  X(cuUserObjectRelease)                    \
  X(cuGraphRetainUserObject)                \
  X(cuEventCreate)                          \
  X(cuEventDestroy)                         \
  X(cuEventRecord)                          \
  X(cuEventQuery)                           \
  X(cuEventElapsedTime)                     \
  X(cuMemAlloc)                             \
  X(cuMemGetAddressRange)                   \
  X(cuMemFree)                              \
  X(cuMemHostAlloc)                         \
  X(cuMemFreeHost)                          \
  X(cuMemHostRegister)                      \
  X(cuMemHostUnregister)                    \
  X(cuMemsetD8Async)                        \
  X(cuMemcpyAsync)                          \
  X(cuMemCreate)                            \
  X(cuMemRelease)                           \
  X(cuMemAddressReserve)                    \
  X(cuMemAddressFree)                       \
  X(cuMemMap)                               \
  X(cuMemUnmap)                             \
  X(cuMemSetAccess)                         \
  X(cuMemGetAllocationGranularity)          \
  X(cuMemGetAllocationPropertiesFromHandle) \
  X(cuMemRetainAllocationHandle)            \
  X(cuMemExportToShareableHandle)           \
  X(cuMemImportFromShareableHandle)         \
  X(cuIpcGetMemHandle)                      \
  X(cuIpcOpenMemHandle)                     \
  X(cuIpcCloseMemHandle)                    \
  X(cuPointerGetAttributes)                 \
  X(cuLibraryLoadData)                      \
  X(cuLibraryUnload)                        \
  X(cuLibraryGetKernel)                     \
  X(cuKernelGetFunction)                    \
  X(cuFuncLoad)                             \
  X(cuLaunchKernel)

/// What newer drivers offer; null in older ones.
#define CONCCL_CUDA_OPTIONAL_CALLS(X) \
  X(cuMemcpyBatchAsync)               \
  X(cuDeviceGetDevResource)           \
  X(cuDevSmResourceSplitByCount)      \
  X(cuDevResourceGenerateDesc)        \
  X(cuGreenCtxCreate)                 \
  X(cuGreenCtxDestroy)                \
  X(cuGreenCtxStreamCreate)           \
  X(cuCtxFromGreenCtx)

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): the vendor's names.
struct Driver {
#define CONCCL_MEMBER(name) decltype(&::name) name = nullptr;
  CONCCL_CUDA_CALLS(CONCCL_MEMBER)
  CONCCL_CUDA_OPTIONAL_CALLS(CONCCL_MEMBER)
#undef CONCCL_MEMBER
};
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)

/// Opened and initialised on the first call. Throws Unavailable with the reason.
[[nodiscard]] const Driver& driver();
/// As the driver counts: 13000 is 13.0.
[[nodiscard]] int driver_version();

/// A CUmemorytype; 0 for memory that the driver does not know.
[[nodiscard]] unsigned memory_kind(const void* address);

/// What a call was about, for its error.
struct Call {
  const char* operation = "";
  int gpu = -1;     ///< -1: none
  Bytes bytes = 0;  ///< 0: not about bytes
};

/// Throws RunError with all of `call` and the driver's code and text unless `result` is success.
void check(CUresult result, const Call& call);

/// While it lives, calls of this thread that belong to no stream (memory made, registered, mapped,
/// what a stream has passed) are allowed although a graph is being captured, here or in another
/// thread, and do not break that capture.
class BesideCaptures {
 public:
  BesideCaptures() { exchange(); }
  ~BesideCaptures() { exchange(); }
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;

 private:
  void exchange() { (void)driver().cuThreadExchangeStreamCaptureMode(&mode_); }

  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

/// `context` is the calling thread's current one for the life of this object.
class ContextScope {
 public:
  explicit ContextScope(CUcontext context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  BesideCaptures beside_captures_;
};

/// The capture that a stream is in, if any.
struct Capture {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;        ///< of an active one
  CUgraph graph = nullptr;  ///< of an active one: what it is captured into
};
/// Throws RunError.
[[nodiscard]] Capture capture_of(CUstream stream, int gpu);
/// Whether the legacy default stream of the current context cannot be used because a stream that
/// it waits for is being captured.
[[nodiscard]] bool default_stream_is_barred();

/// Whether `stream` has nothing left to do, waiting at most `limit`. Throws RunError for a failure
/// of the device.
[[nodiscard]] bool wait_until_idle(CUstream stream, std::chrono::nanoseconds limit, int gpu);
/// The same where only a fault lasts longer than a minute: throws RunError then.
void finish(CUstream stream, const Call& call);

}  // namespace conccl::backend::cuda
