// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// NCCL, opened at run time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "bench/peers/nccl_abi.hpp"

namespace conccl::bench::nccl {

// clang-format off
#define CONCCL_NCCL_CALLS(call)                                                                \
  call(ncclGetVersion, (int* version))                                                         \
  call(ncclGetUniqueId, (UniqueId* id))                                                        \
  call(ncclCommInitRankConfig, (Comm* comm, int ranks, UniqueId id, int rank, Config* config)) \
  call(ncclCommFinalize, (Comm comm))                                                          \
  call(ncclCommDestroy, (Comm comm))                                                           \
  call(ncclCommAbort, (Comm comm))                                                             \
  call(ncclCommGetAsyncError, (Comm comm, Result* error))                                      \
  call(ncclAllGather, (const void* send, void* recv, std::size_t count, int type, Comm comm,   \
                       Stream stream))                                                         \
  call(ncclAlltoAll, (const void* send, void* recv, std::size_t count, int type, Comm comm,    \
                      Stream stream))                                                          \
  call(ncclCommWindowRegister, (Comm comm, void* data, std::size_t bytes, Window* window,      \
                                int flags))                                                    \
  call(ncclCommWindowDeregister, (Comm comm, Window window))
// clang-format on

// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): the vendor's names.
/// The calls of one library. It is never closed: NCCL has threads and exit handlers.
struct Api {
#define CONCCL_DECLARE(name, arguments) Result(*name) arguments = nullptr;
  CONCCL_NCCL_CALLS(CONCCL_DECLARE)
#undef CONCCL_DECLARE
  const char* (*ncclGetErrorString)(Result) = nullptr;
  const char* (*ncclGetLastError)(Comm) = nullptr;

  std::string path;  ///< as it was opened
  int code = 0;      ///< 22803

  [[nodiscard]] std::string version() const;  ///< "2.28.3"
};
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)

/// The NCCL of this process: the library that CONCCL_NCCL names, or libnccl.so.2 as the loader
/// finds it, or in the folders where Debian and CUDA put it. Unless the user has set it, sets
/// NCCL_NVLS_ENABLE to 0 first, so that no multicast object is made. Throws Unavailable with the
/// reason when there is none or it is older than 2.28.3.
[[nodiscard]] std::shared_ptr<const Api> find_nccl();

/// The library at `path`. Throws as above.
[[nodiscard]] std::shared_ptr<const Api> open_nccl(const std::string& path);

/// Throws RunError naming `call`, NCCL's code and text and what it said last, unless `result` is
/// success.
void check(const Api& api, Result result, const char* call);

/// The variables of the environment that steer NCCL, "NAME=value", in order of name; without what
/// only changes what it prints.
[[nodiscard]] std::string environment();

}  // namespace conccl::bench::nccl
