// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What this library uses of NCCL's C interface, declared here so that it is needed neither to
/// build nor to run. The layouts are those of NCCL 2.28 (nccl.h), which later 2.x keep and extend.
#pragma once

#include <climits>
#include <cstddef>

namespace conccl::bench::nccl {

using Comm = struct OpaqueComm*;
using Window = struct OpaqueWindow*;
using Stream = void*;  ///< a cudaStream_t

/// Passed by value, as NCCL does.
struct UniqueId {
  char internal[128];
};

using Result = int;
inline constexpr Result kSuccess = 0;

inline constexpr int kInt8 = 0;  ///< ncclInt8: collectives here move bytes

inline constexpr int kWindowSymmetric = 0x01;  ///< NCCL_WIN_COLL_SYMMETRIC
inline constexpr std::size_t kWindowAlignment = 4096;

/// How many thread blocks a collective takes; `zero` prefers copy engines.
inline constexpr int kPolicyDefault = 0;
inline constexpr int kPolicyZero = 2;

inline constexpr int kUndefined = INT_MIN;
inline constexpr unsigned kConfigMagic = 0xcafebeef;

/// NCCL_VERSION: 2.28.3 is 22803.
[[nodiscard]] constexpr int version_code(int major, int minor, int patch) {
  return major * 10000 + minor * 100 + patch;
}

/// The version that the layout below is of, and the oldest that is used: the first with copy
/// engines and all-to-all.
inline constexpr int kLayoutVersion = version_code(2, 28, 0);
inline constexpr int kOldestVersion = version_code(2, 28, 3);

/// `ncclConfig_t` of 2.28. `size` tells a later NCCL how much of it there is; it takes defaults for
/// the rest.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = kConfigMagic;
  unsigned version = kLayoutVersion;
  int blocking = 1;
  int cga_cluster_size = kUndefined;
  int min_ctas = kUndefined;
  int max_ctas = kUndefined;
  const char* net_name = nullptr;
  int split_share = kUndefined;
  int traffic_class = kUndefined;
  const char* comm_name = nullptr;
  int collnet_enable = kUndefined;
  int cta_policy = kUndefined;
  int shrink_share = kUndefined;
  int nvls_ctas = kUndefined;
  int channels_per_net_peer = kUndefined;
  int nvlink_centric_sched = kUndefined;
};
static_assert(sizeof(Config) == 80 && offsetof(Config, net_name) == 32 &&
                  offsetof(Config, comm_name) == 48 && offsetof(Config, cta_policy) == 60 &&
                  offsetof(Config, nvlink_centric_sched) == 76,
              "the layout of ncclConfig_t in NCCL 2.28");

}  // namespace conccl::bench::nccl
