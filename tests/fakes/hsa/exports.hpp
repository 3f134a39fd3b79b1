// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Every call of the interface, declared with the interface's own type: a definition of another
/// type does not compile.
#pragma once

#include <type_traits>

#include "backend/hsa/calls.hpp"

/// Before every function that the library exports.
#define CONCCL_FAKE_HSA_API extern "C" __attribute__((visibility("default")))

namespace conccl::test::fake_hsa {

#define CONCCL_DECLARE(name) \
  CONCCL_FAKE_HSA_API std::remove_pointer_t<decltype(&backend::hsa::abi::name)> name;
CONCCL_HSA_CALLS(CONCCL_DECLARE)
CONCCL_HSA_ENGINE_CALLS(CONCCL_DECLARE)
CONCCL_HSA_KERNEL_CALLS(CONCCL_DECLARE)
CONCCL_HSA_OPTIONAL_CALLS(CONCCL_DECLARE)
#undef CONCCL_DECLARE

}  // namespace conccl::test::fake_hsa
