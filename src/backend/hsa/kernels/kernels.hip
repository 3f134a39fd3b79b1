// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Every kernel of the backend, in the HIP language but without HIP. Each takes any grid of one
/// dimension in workgroups of kWorkgroup work-items.
#include "backend/hsa/abi.hpp"
#include "backend/hsa/kernels/reduce.hpp"

#define CONCCL_DEVICE __attribute__((device))
#define CONCCL_KERNEL \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(kWorkgroup, kWorkgroup))) void

namespace conccl::backend::hsa {
namespace {

CONCCL_DEVICE WorkItem this_item() {
  using Packet = const __attribute__((address_space(4))) abi::hsa_kernel_dispatch_packet_t;
  const auto* packet = (Packet*)__builtin_amdgcn_dispatch_ptr();
  const auto group = static_cast<std::uint64_t>(__builtin_amdgcn_workgroup_id_x());
  return {group * kWorkgroup + __builtin_amdgcn_workitem_id_x(), packet->grid_size_x};
}

CONCCL_DEVICE void meet_workgroup() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// Every work-item of the group comes here; one adds for all. The tally is in the GPU's memory.
CONCCL_DEVICE void add_to(Tally& tally, const Count& mine) {
  static __attribute__((shared)) std::uint64_t compared, mismatches, inverted_first_bad;
  const bool speaks = __builtin_amdgcn_workitem_id_x() == 0;
  if (speaks) compared = mismatches = inverted_first_bad = 0;
  meet_workgroup();
  constexpr auto kGroup = __HIP_MEMORY_SCOPE_WORKGROUP;
  __hip_atomic_fetch_add(&compared, mine.compared, __ATOMIC_RELAXED, kGroup);
  if (mine.mismatches != 0) {
    __hip_atomic_fetch_add(&mismatches, mine.mismatches, __ATOMIC_RELAXED, kGroup);
    __hip_atomic_fetch_max(&inverted_first_bad, mine.inverted_first_bad, __ATOMIC_RELAXED, kGroup);
  }
  meet_workgroup();
  if (!speaks) return;
  constexpr auto kGpu = __HIP_MEMORY_SCOPE_AGENT;
  __hip_atomic_fetch_add(&tally.compared, compared, __ATOMIC_RELAXED, kGpu);
  if (mismatches == 0) return;
  __hip_atomic_fetch_add(&tally.mismatches, mismatches, __ATOMIC_RELAXED, kGpu);
  __hip_atomic_fetch_max(&tally.inverted_first_bad, inverted_first_bad, __ATOMIC_RELAXED, kGpu);
}

CONCCL_DEVICE std::uint64_t value_of(const std::uint64_t& word) {
  return __hip_atomic_load(&word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

}  // namespace

CONCCL_KERNEL conccl_fill(FillArgs args) { fill(args, this_item()); }

CONCCL_KERNEL conccl_set(SetArgs args) { set(args, this_item()); }

CONCCL_KERNEL conccl_compare(CompareArgs args) { add_to(*args.tally, compare(args, this_item())); }

CONCCL_KERNEL conccl_conclude(ConcludeArgs args) {
  if (this_item().index != 0) return;
  const Tally tally{value_of(args.tally->compared), value_of(args.tally->mismatches),
                    value_of(args.tally->inverted_first_bad), 0};
  *args.result = tally;
  if (tally.mismatches != 0) args.result->found = args.data[~tally.inverted_first_bad];
}

CONCCL_KERNEL conccl_differences(DifferencesArgs args) {
  add_to(*args.tally, differences(args, this_item()));
}

CONCCL_KERNEL conccl_random(RandomArgs args) { random(args, this_item()); }

CONCCL_KERNEL conccl_copy(CopyArgs args) { copy(args, this_item()); }

CONCCL_KERNEL conccl_reduce(ReduceArgs args) { reduce(args, this_item()); }

}  // namespace conccl::backend::hsa
