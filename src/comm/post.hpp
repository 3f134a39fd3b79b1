// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a rank tells its peers about a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "conccl/core/data_type.hpp"
#include "conccl/core/gemm_shape.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::comm {

enum class Operation : std::uint8_t {
  all_gather,
  all_to_all,
  plan,
  register_window,
  exchange,
  shared_flags,
  capture
};

/// Where a buffer of the call lies: `offset` in a window, or (`window` -1) at an address, which
/// other processes find at `offset` in an announced allocation.
struct Location {
  std::byte* address = nullptr;  ///< in the poster's own process
  int window = -1;
  Bytes offset = 0;
  std::uint64_t allocation = 0;  ///< 0: not announced
};

/// Plain data: it lies in memory shared between processes.
struct Post {
  Operation operation = Operation::all_gather;
  plan::Collective collective = plan::Collective::all_gather;
  plan::Placement placement = plan::Placement::out_of_place;
  DataType type = DataType::uint8;
  std::uint64_t count = 0;         ///< elements; a window: its bytes
  std::optional<GemmSpec> beside;  ///< what the rank was told runs beside a collective
  Location send;
  Location recv;
};

/// Device memory as posts name it, whether it will be read or written.
[[nodiscard]] inline std::byte* bytes_at(const void* address) {
  return static_cast<std::byte*>(const_cast<void*>(address));
}

[[nodiscard]] std::string_view name_of(Operation operation);

/// One line naming both ranks and both values when the two calls do not belong together.
[[nodiscard]] std::optional<std::string> mismatch(int rank_a, const Post& a, int rank_b,
                                                  const Post& b);

}  // namespace conccl::comm
