// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/hsa.hpp"
#include "tests/backend/contract/after_contract.hpp"
#include "tests/backend/contract/copy_contract.hpp"
#include "tests/backend/contract/task_contract.hpp"

namespace conccl::backend::contract {
namespace {

const auto kHsaWithHip = testing::Values(Target{"hsa with HIP", open_hsa});

INSTANTIATE_TEST_SUITE_P(HsaWithHip, AfterContract, kHsaWithHip);
INSTANTIATE_TEST_SUITE_P(HsaWithHip, CopyContract, kHsaWithHip);
INSTANTIATE_TEST_SUITE_P(HsaWithHip, TaskContract, kHsaWithHip);

}  // namespace
}  // namespace conccl::backend::contract
