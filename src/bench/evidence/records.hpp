// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A tracer's records as plain data.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "conccl/bench/evidence.hpp"
#include "conccl/core/units.hpp"

namespace conccl::bench {

/// What a hardware channel is for.
enum class ChannelType : std::uint8_t { unknown, compute, copy_engine };

/// Which memories a copy lies between. `local`: no second device is on record, which a tracer also
/// says of memory of another process that it does not know.
enum class CopyKind : std::uint8_t { peer, local, host };

/// One record of copies. Times are on the tracer's clock; both zero: it has none.
struct CopyRecord {
  CopyKind kind = CopyKind::local;
  Bytes bytes = 0;
  int device = 0;  ///< whose channel it was
  int source = 0;
  int destination = 0;
  std::uint32_t channel = 0;  ///< unique per device
  ChannelType type = ChannelType::unknown;
  std::uint64_t copies = 1;  ///< how many copies of one batch the record stands for
  Nanoseconds start{};
  Nanoseconds end{};
};

/// One kernel, or one memset, which is named kMemset.
struct KernelRecord {
  std::string name;
  int device = 0;
  Nanoseconds start{};
  Nanoseconds end{};
};

inline constexpr std::string_view kMemset = "memset";

/// What the devices of one process did.
struct Evidence {
  std::string tracer;
  std::vector<CopyRecord> copies;
  std::vector<KernelRecord> kernels;
};

[[nodiscard]] Traffic traffic_of(const Evidence& evidence);
/// The channels of one process are not those of another: counts add up too.
[[nodiscard]] Traffic operator+(const Traffic& a, const Traffic& b);

/// Names of the kernels that ran.
[[nodiscard]] std::set<std::string> kernel_names(const Evidence& evidence);

}  // namespace conccl::bench
