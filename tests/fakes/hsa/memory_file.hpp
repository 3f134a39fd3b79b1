// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The files behind pools' memory, and how another process finds one through its owner's.
#pragma once

#include "tests/fakes/hsa/memory.hpp"

namespace conccl::test::fake_hsa {

[[nodiscard]] std::uint64_t new_file_id();
/// -1: there is no memory for it.
[[nodiscard]] int make_file(std::uint64_t id, std::size_t bytes);
/// Maps the allocation's `file`, `bytes` of it; false: it cannot.
[[nodiscard]] bool map_file(Allocation& allocation);

[[nodiscard]] hsa_amd_ipc_memory_t write_handle(const Allocation& allocation);
/// Opens the file that the handle means, and says its size and owner; false when the exporter has
/// given it back or is gone.
[[nodiscard]] bool read_handle(const hsa_amd_ipc_memory_t& handle, Allocation& allocation);

}  // namespace conccl::test::fake_hsa
