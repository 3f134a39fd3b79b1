// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0
// size: the whole C interface on one page

/// ConCCL in C: collectives of the ranks of one machine, on the devices' DMA engines. C11 and C++.
///
/// Who knows NCCL knows the names, the order of arguments and the counts. What differs:
///   - concclCommAbort leaves the handle valid: concclCommDestroy frees it;
///   - on the host backend, streams come from concclStreamCreate, and memory for ranks in other
///     processes from concclMemAlloc; on CUDA they are the CUDA runtime's or driver's.
///
/// Results. Every function says how it went; outputs are written only on concclSuccess (comm
/// handles of a failed initialisation are set to NULL). concclGetLastError has the text. No C++
/// exception leaves the library. A handle that is NULL, destroyed or not of this library gives
/// concclInvalidArgument. What an Init, Create, Alloc or Register function gives is the caller's,
/// until the Destroy, Free or Deregister function of the same kind.
///
/// Threads. Any thread may call anything, but a communicator and a stream are for one thread at a
/// time, except where "any thread" stands below.
///
/// "Collective": every rank must call it, in the same order as its other collective calls, or the
/// ranks that did fail with concclRemoteError after the deadline.
///
/// Environment: CONCCL_BACKEND names the backend where a configuration does not; CONCCL_DEBUG=WARN
/// or INFO prints the library's messages on standard error; CONCCL_MACHINE is the machine where a
/// configuration has none; CONCCL_SOCKET_IFNAME names the network interface ranks meet on (without
/// it: loopback).
#ifndef CONCCL_CONCCL_H
#define CONCCL_CONCCL_H

#include <limits.h>
#include <stddef.h>

#define CONCCL_MAJOR 0
#define CONCCL_MINOR 1
#define CONCCL_PATCH 0
#define CONCCL_VERSION(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
#define CONCCL_VERSION_CODE CONCCL_VERSION(CONCCL_MAJOR, CONCCL_MINOR, CONCCL_PATCH)

#define CONCCL_API __attribute__((visibility("default"), nothrow))

#ifdef __cplusplus
// In C an enum holds any int; in C++ it does only when its type is written down.
#define CONCCL_INT_ENUM : int
extern "C" {
#else
#define CONCCL_INT_ENUM
#endif

/// How a call went. Values are never renumbered.
typedef enum concclResult CONCCL_INT_ENUM {
  concclSuccess = 0,
  concclUnhandledError = 1,   ///< a vendor's library or driver failed
  concclSystemError = 2,      ///< the system refused memory, a socket, a thread, a descriptor
  concclInternalError = 3,    ///< a defect of ConCCL; please report it
  concclInvalidArgument = 4,  ///< an argument, or a variable of the environment, is wrong
  concclInvalidUsage = 5,     ///< arguments are fine, but not now or not here
  concclRemoteError = 6,      ///< a peer died, left, aborted, called something else, or was late
  concclInProgress = 7,       ///< not an error: not done yet
  concclUnavailable = 8,      ///< no such device or capability on this machine
  concclNumResults = 9
} concclResult_t;

/// Types of elements; NCCL's numbers.
typedef enum concclDataType CONCCL_INT_ENUM {
  concclInt8 = 0,
  concclChar = 0,
  concclUint8 = 1,
  concclInt32 = 2,
  concclInt = 2,
  concclUint32 = 3,
  concclInt64 = 4,
  concclUint64 = 5,
  concclFloat16 = 6,
  concclHalf = 6,
  concclFloat32 = 7,
  concclFloat = 7,
  concclFloat64 = 8,
  concclDouble = 8,
  concclBfloat16 = 9,
  concclNumTypes = 10
} concclDataType_t;

/// What may carry a collective.
typedef enum concclPolicy CONCCL_INT_ENUM {
  /// DMA engines where the device has them, else compute units; on a known machine what the advisor
  /// takes: see concclConcurrentCompute.
  concclPolicyAuto = 0,
  concclPolicyDma = 1,     ///< DMA engines, or concclUnavailable
  concclPolicyCompute = 2  ///< compute units
} concclPolicy_t;

/// Who moves a block: the rank that has it, or the rank that wants it.
typedef enum concclDirection CONCCL_INT_ENUM {
  concclDirectionPush = 0,
  concclDirectionPull = 1
} concclDirection_t;

/// One rank's membership in a group of ranks.
typedef struct concclComm* concclComm_t;
/// A buffer that all ranks of a communicator have registered.
typedef struct concclWindow* concclWindow_t;
/// The backend's own stream. CUDA: a cudaStream_t (CUstream) of the rank's GPU; NULL or
/// cudaStreamLegacy is the legacy default stream, also in code compiled for per-thread default
/// streams; cudaStreamPerThread is the calling thread's. It must live until the call returns; one
/// that is destroyed and another that later gets the same handle are two streams. Host: of
/// concclStreamCreate.
typedef void* concclStream_t;

#define CONCCL_UNIQUE_ID_BYTES 128
/// What ranks must hold to join one another: a secret, and the address of their meeting point (what
/// NCCL calls the bootstrap root). Hand it over by any means; whoever holds it may join.
typedef struct concclUniqueId {
  char internal[CONCCL_UNIQUE_ID_BYTES];
} concclUniqueId;

/// Options of a communicator. Start from CONCCL_CONFIG_INITIALIZER and set what matters; what stays
/// undefined takes its default. Strings are copied. Ranks must agree on `policy`, `direction` and
/// `machine`, which is checked when they join. Where deadlines differ, the shortest counts.
///
/// The default device is the one that the calling thread has made current (CUDA: cudaSetDevice, or
/// any call of the runtime); else LOCAL_RANK of the environment; else the rank, modulo the number
/// of GPUs. Ranks may share a GPU.
///
/// The structure grows at its end. A library takes the shorter one of an older header as it is, and
/// that of a newer header only when everything it does not know is undefined.
typedef struct concclConfig {
  size_t size;  ///< set by the initialiser, as are the next two
  unsigned int magic;
  unsigned int version;
  const char* name;            ///< in messages; default "world"
  const char* backend;         ///< "cuda", "hsa", "host"; default: environment, then the best here
  const char* interface_name;  ///< network interface on which ranks meet; default: environment
  int device;                  ///< index; CUDA: as cudaSetDevice counts. Default: below
  int policy;                  ///< concclPolicy_t; default concclPolicyAuto
  int direction;               ///< concclDirection_t; default concclDirectionPush
  int deadline_ms;             ///< longest wait for a peer, and for one collective; default 30000
  /// For concclPolicyAuto: a machine that comes with the library, or the path of a machine file;
  /// "": none. Default: environment, else none. concclInvalidArgument, naming the file, for one
  /// that is malformed, lacks figures of the model, is of another backend, or has other than nranks
  /// devices.
  const char* machine;
} concclConfig_t;

#define CONCCL_CONFIG_MAGIC 0xc0cc1bedu
#define CONCCL_CONFIG_UNDEF_INT INT_MIN
#define CONCCL_CONFIG_UNDEF_PTR NULL
#define CONCCL_CONFIG_INITIALIZER                                             \
  {sizeof(concclConfig_t),  CONCCL_CONFIG_MAGIC,     CONCCL_VERSION_CODE,     \
   CONCCL_CONFIG_UNDEF_PTR, CONCCL_CONFIG_UNDEF_PTR, CONCCL_CONFIG_UNDEF_PTR, \
   CONCCL_CONFIG_UNDEF_INT, CONCCL_CONFIG_UNDEF_INT, CONCCL_CONFIG_UNDEF_INT, \
   CONCCL_CONFIG_UNDEF_INT, CONCCL_CONFIG_UNDEF_PTR}

/// Types of the operands of a matrix product. Sums are in fp32; the result is of the operands'
/// type, of Float8e4m3 it is Bfloat16.
typedef enum concclGemmType CONCCL_INT_ENUM {
  concclGemmBfloat16 = 0,
  concclGemmFloat16 = 1,
  concclGemmFloat8e4m3 = 2,
  concclGemmFloat32 = 3
} concclGemmType_t;

/// A matrix product C[m, n] = A[m, k] B[k, n]. Start from CONCCL_GEMM_INITIALIZER and set the
/// dimensions. Grows as concclConfig_t does.
typedef struct concclGemm {
  size_t size;  ///< set by the initialiser, as are the next two
  unsigned int magic;
  unsigned int version;
  int m;  ///< at least 1, as are the next two
  int n;
  int k;
  int type;  ///< concclGemmType_t; default concclGemmBfloat16
} concclGemm_t;

#define CONCCL_GEMM_MAGIC 0xc0cc16e3u
#define CONCCL_GEMM_INITIALIZER \
  {sizeof(concclGemm_t), CONCCL_GEMM_MAGIC, CONCCL_VERSION_CODE, 0, 0, 0, concclGemmBfloat16}

// ---- Version and errors. Any thread; these never block. -----------------------------------------

/// The library's CONCCL_VERSION_CODE.
CONCCL_API concclResult_t concclGetVersion(int* version);

/// A few words for a result; a constant, also for values that are none.
CONCCL_API const char* concclGetErrorString(concclResult_t result);

/// One line, "" when nothing has failed. With NULL: about the last call of this thread that failed.
/// With a communicator: why it has failed, else about the last call on it that failed, of any
/// thread. A call that succeeds changes nothing. Valid until the thread's next call of this.
CONCCL_API const char* concclGetLastError(concclComm_t comm);

// ---- Communicators ------------------------------------------------------------------------------

/// An id for one communicator. Opens a listening socket, which this process serves until all ranks
/// have joined or 30 s have passed: it must live until then. Any thread; does not block.
/// concclSystemError when no socket can be had, concclInvalidArgument for an unknown interface.
CONCCL_API concclResult_t concclGetUniqueId(concclUniqueId* id);

/// The same, with `interface_name` and `deadline_ms` of `config`; NULL: all defaults.
CONCCL_API concclResult_t concclGetUniqueIdConfig(concclUniqueId* id, const concclConfig_t* config);

/// Joins as rank `rank` of `nranks`. Collective; blocks until all ranks have joined, each on a
/// thread or in a process of its own, all on one machine. In a group it returns at once; the joins
/// run side by side in concclGroupEnd, which fills `comm` (keep it in place until then).
/// At most 256 ranks, and no more than the backend has devices (host: 64). concclRemoteError when
/// the ranks do not come together within the deadline, two have the same number, their options
/// differ, the id is not one that somebody serves, or the system refuses a socket or a descriptor
/// while they join (the text says which).
CONCCL_API concclResult_t concclCommInitRank(concclComm_t* comm, int nranks, concclUniqueId id,
                                             int rank);

/// The same, with options; NULL: all defaults.
CONCCL_API concclResult_t concclCommInitRankConfig(concclComm_t* comm, int nranks,
                                                   concclUniqueId id, int rank,
                                                   const concclConfig_t* config);

/// Joins as a launcher's environment says (`conccl run`, torchrun): RANK, WORLD_SIZE, LOCAL_RANK,
/// MASTER_ADDR, MASTER_PORT or CONCCL_PORT, CONCCL_SECRET. Otherwise as concclCommInitRankConfig,
/// groups included. One such communicator at a time may be in the making. concclInvalidArgument
/// names the variable that is missing or malformed.
CONCCL_API concclResult_t concclCommInitFromEnv(concclComm_t* comm, const concclConfig_t* config);

/// `ndev` ranks in this process: comms[i] is rank i, on device devlist[i]; NULL: on device i. Not
/// collective, does not block. Devices must differ. All communicators are made, or none.
/// concclInvalidArgument for a device that is not there or stands twice, concclSystemError when
/// there is not enough memory, threads or descriptors, concclUnavailable without a backend.
CONCCL_API concclResult_t concclCommInitAll(concclComm_t* comms, int ndev, const int* devlist);

/// The same, with options (`device` must stay undefined); NULL: all defaults.
CONCCL_API concclResult_t concclCommInitAllConfig(concclComm_t* comms, int ndev, const int* devlist,
                                                  const concclConfig_t* config);

/// Frees a communicator and ends its windows. Not collective. Blocks until the streams have passed
/// this rank's calls and the peers have taken its memory, at most the deadline; calls that are then
/// still queued fail on every rank and are let go, which doubles the time at most.
/// Calls that other threads are in, or that this thread's group holds, keep it until they end.
CONCCL_API concclResult_t concclCommDestroy(concclComm_t comm);

/// Makes the communicator fail on every rank: queued and blocked calls are let go, later ones give
/// concclRemoteError, receive buffers of all that was enqueued are undefined. The handle stays
/// valid; destroy it. Any thread; not collective; does not block.
CONCCL_API concclResult_t concclCommAbort(concclComm_t comm);

/// concclSuccess while the communicator works, concclRemoteError once it has failed; then
/// concclGetLastError(comm) says why. Ask after a stream has completed, before trusting the bytes:
/// a stream completes after a failure too. Any thread; does not block.
CONCCL_API concclResult_t concclCommGetAsyncError(concclComm_t comm, concclResult_t* async_error);

/// The number of ranks, this rank, and the index of its device. Any thread; do not block.
CONCCL_API concclResult_t concclCommCount(concclComm_t comm, int* count);
CONCCL_API concclResult_t concclCommUserRank(concclComm_t comm, int* rank);
CONCCL_API concclResult_t concclCommDevice(concclComm_t comm, int* device);

// ---- Groups -------------------------------------------------------------------------------------

/// Until the matching concclGroupEnd, initialisations, collectives and window registrations of the
/// calling thread are collected. A thread that drives several ranks must group their calls: one by
/// one, the first would wait for the second. Groups nest; the outermost does the work.
CONCCL_API concclResult_t concclGroupStart(void);

/// Runs what was collected: initialisations first, side by side, then the calls, in their order.
/// Blocks as they do. When a call in the group failed, nothing is run and that call's result is
/// returned; when an initialisation fails, all of them are undone and the calls are dropped.
/// concclInvalidUsage without a concclGroupStart.
CONCCL_API concclResult_t concclGroupEnd(void);

// ---- Collectives --------------------------------------------------------------------------------
//
// Both are enqueued on `stream`, a stream of the rank's device, and return; buffers must stay in
// place and untouched until it has passed them. Buffers in windows: nothing blocks. Other buffers:
// the call waits, at most the deadline, until the peers have made theirs. A count of 0 is allowed.
//
// Memory that works: on CUDA, of cudaMalloc, of virtual memory calls (also in many pieces, as
// PyTorch's expandable segments) and of concclMemAlloc, on the rank's own GPU; that of
// stream-ordered pools (cudaMallocAsync) only between ranks of one process. On the host, any; with
// ranks in other processes, of concclMemAlloc. Nothing else is staged: it is refused by name.
//
// concclInvalidArgument, before any peer is told: such memory, a null or too small buffer, send and
// receive that overlap, an unknown type, a count that overflows, a stream of another GPU, a buffer
// in a window whose memory was freed. concclRemoteError: the communicator has failed, as when a
// peer's call differs in operation, count or type (the text shows both).

/// recvbuff (nranks * sendcount elements) gets every rank's sendcount elements, in order of rank.
/// In place when sendbuff == recvbuff + rank * sendcount elements.
CONCCL_API concclResult_t concclAllGather(const void* sendbuff, void* recvbuff, size_t sendcount,
                                          concclDataType_t datatype, concclComm_t comm,
                                          concclStream_t stream);

/// Both buffers hold nranks * count elements; block r of sendbuff goes to rank r. Never in place.
CONCCL_API concclResult_t concclAlltoAll(const void* sendbuff, void* recvbuff, size_t count,
                                         concclDataType_t datatype, concclComm_t comm,
                                         concclStream_t stream);

/// Says which matrix product runs beside the communicator's collectives from now on; NULL:
/// none that is known. With concclPolicyAuto and a machine (`machine` of the configuration), the
/// advisor chooses between DMA engines and kernels for it, without it by the size alone; what it
/// chooses and why is one message per request (CONCCL_DEBUG=INFO). Otherwise nothing changes. It
/// holds at once, within a group for its later calls; a captured collective keeps its choice.
/// Every rank says the same between the same calls, or the next collective is one that does not
/// match: concclRemoteError, and the text shows both. Does not block. concclInvalidArgument, and
/// what was said before holds: a dimension below 1, an unknown type, a product for
/// which the machine file lacks a figure.
CONCCL_API concclResult_t concclConcurrentCompute(concclComm_t comm, const concclGemm_t* gemm);

// ---- Memory and windows -------------------------------------------------------------------------

/// Memory that ranks can use, in this process and in others: of the backend that this process used
/// first, else of the default one. CUDA: on the calling thread's current GPU (virtual memory calls,
/// whole units of 2 MiB), which every GPU with peer access may touch. NULL for 0 bytes. Contents
/// undefined. Any thread. concclSystemError when there is not so much left.
CONCCL_API concclResult_t concclMemAlloc(void** ptr, size_t size);

/// Frees what concclMemAlloc gave; NULL is allowed. Any thread; does not block. Streams must have
/// passed the calls that use it. concclInvalidUsage while a window lies in it (nothing is freed),
/// concclInvalidArgument for any other pointer, one freed before among them.
CONCCL_API concclResult_t concclMemFree(void* ptr);

#define CONCCL_WIN_DEFAULT 0
/// As NCCL's; every window of ConCCL is one.
#define CONCCL_WIN_COLL_SYMMETRIC 1

/// Registers the `size` bytes at `buff`: the same size on every rank, any address. Calls whose
/// buffers lie in windows, at the same offset on every rank, exchange nothing. Collective; blocks
/// until all ranks have called it, or in a group until concclGroupEnd, which fills `win` (keep it
/// in place until then). The memory must outlive the window. `flags` is one of the two above.
CONCCL_API concclResult_t concclCommWindowRegister(concclComm_t comm, void* buff, size_t size,
                                                   concclWindow_t* win, int flags);

/// Ends a registration; calls that are enqueued go on. Not collective; does not block.
CONCCL_API concclResult_t concclCommWindowDeregister(concclComm_t comm, concclWindow_t win);

// ---- Streams ------------------------------------------------------------------------------------
//
// The host backend has no other streams than these. On CUDA a stream of concclStreamCreate is a
// cudaStream_t (non-blocking) that every CUDA call takes; streams made elsewhere need none of
// these functions, and are refused by those below, which have a limit to their waiting.

/// A new stream of the communicator's device; it may be used with any communicator on that device.
/// Does not block.
CONCCL_API concclResult_t concclStreamCreate(concclStream_t* stream, concclComm_t comm);

/// Waits until everything enqueued has run: at most timeout_ms milliseconds, then
/// concclInProgress; without limit when it is negative. Says nothing about the communicators: ask
/// concclCommGetAsyncError. Any thread.
CONCCL_API concclResult_t concclStreamSynchronize(concclStream_t stream, int timeout_ms);

/// concclSuccess when everything enqueued has run, else concclInProgress. Any thread.
CONCCL_API concclResult_t concclStreamQuery(concclStream_t stream);

/// Frees a stream, once what is enqueued on it has run; blocks until then.
CONCCL_API concclResult_t concclStreamDestroy(concclStream_t stream);

#ifdef __cplusplus
}
#endif

#undef CONCCL_INT_ENUM

#endif
