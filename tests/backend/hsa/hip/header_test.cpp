// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#if CONCCL_HIP_HEADER

#include <cstdint>
#include <string>
#include <type_traits>

#include "backend/hsa/hip/calls.hpp"

namespace conccl::backend::hsa::hip {
namespace {

/// Ours, before the vendor's macros of the same names hide them.
constexpr std::uint32_t kNonBlocking = abi::hipStreamNonBlocking;
constexpr std::uint32_t kWaitGte = abi::hipStreamWaitValueGte;
constexpr std::uint32_t kDisableTiming = abi::hipEventDisableTiming;
constexpr std::uint32_t kReleaseToSystem = abi::hipEventReleaseToSystem;
constexpr std::uint32_t kSignalMemory = abi::hipMallocSignalMemory;

}  // namespace
}  // namespace conccl::backend::hsa::hip

#include <hip/hip_runtime_api.h>

namespace conccl::backend::hsa::hip {
namespace {

static_assert(kNonBlocking == hipStreamNonBlocking);
static_assert(kWaitGte == hipStreamWaitValueGte);
static_assert(kDisableTiming == hipEventDisableTiming);
static_assert(kReleaseToSystem == hipEventReleaseToSystem);
static_assert(kSignalMemory == hipMallocSignalMemory);

#define CONCCL_CONSTANT(name) \
  static_assert(static_cast<std::uint32_t>(abi::name) == static_cast<std::uint32_t>(::name), #name);
CONCCL_CONSTANT(hipSuccess)
CONCCL_CONSTANT(hipErrorInvalidValue)
CONCCL_CONSTANT(hipErrorOutOfMemory)
CONCCL_CONSTANT(hipErrorNoDevice)
CONCCL_CONSTANT(hipErrorInvalidDevice)
CONCCL_CONSTANT(hipErrorInvalidHandle)
CONCCL_CONSTANT(hipErrorNotReady)
CONCCL_CONSTANT(hipErrorLaunchFailure)
CONCCL_CONSTANT(hipErrorNotSupported)
CONCCL_CONSTANT(hipErrorStreamCaptureImplicit)
CONCCL_CONSTANT(hipErrorUnknown)
CONCCL_CONSTANT(hipStreamCaptureStatusNone)
CONCCL_CONSTANT(hipStreamCaptureStatusActive)
CONCCL_CONSTANT(hipStreamCaptureStatusInvalidated)

/// The vendor's type in place of ours.
template <typename Type>
struct Vendor {
  using type = Type;
};
template <typename Type>
struct Vendor<Type*> {
  using type = typename Vendor<Type>::type*;
};
template <typename Result, typename... Arguments>
struct Vendor<Result(Arguments...)> {
  using type = typename Vendor<Result>::type(typename Vendor<Arguments>::type...);
};
template <>
struct Vendor<abi::hipError_t> {
  using type = ::hipError_t;
};
template <>
struct Vendor<abi::hipStreamCaptureStatus> {
  using type = ::hipStreamCaptureStatus;
};
static_assert(sizeof(abi::hipError_t) == sizeof(::hipError_t));
static_assert(sizeof(abi::hipStreamCaptureStatus) == sizeof(::hipStreamCaptureStatus));
static_assert(std::is_same_v<abi::hipStream_t, ::hipStream_t>);
static_assert(std::is_same_v<abi::hipEvent_t, ::hipEvent_t>);
static_assert(std::is_same_v<abi::hipDevice_t, ::hipDevice_t>);

// By a cast, for some have overloads.
#define CONCCL_FUNCTION(name) \
  using Checked_##name = decltype(static_cast<Vendor<decltype(abi::name)>::type*>(&::name));
CONCCL_HIP_CALLS(CONCCL_FUNCTION)

TEST(HipHeader, TheStreamPerThreadIsTheVendorsNumber) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(hipStreamPerThread), abi::kStreamPerThread);
}

}  // namespace
}  // namespace conccl::backend::hsa::hip

#else

TEST(HipHeader, TheStreamPerThreadIsTheVendorsNumber) {
  GTEST_SKIP() << "hip/hip_runtime_api.h was not found when this was built (Debian: "
                  "libamdhip64-dev)";
}

#endif
