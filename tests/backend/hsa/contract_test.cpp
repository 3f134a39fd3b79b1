// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/hsa.hpp"
#include "tests/backend/contract/after_contract.hpp"
#include "tests/backend/contract/capture_contract.hpp"
#include "tests/backend/contract/copy_contract.hpp"
#include "tests/backend/contract/order_contract.hpp"
#include "tests/backend/contract/share_contract.hpp"
#include "tests/backend/contract/task_contract.hpp"
#include "tests/backend/contract/timeline_contract.hpp"

namespace conccl::backend::contract {
namespace {

const auto kHsa = testing::Values(
    // The double's engines are threads, which take their time to wake up.
    Target{"hsa", open_hsa, std::chrono::milliseconds(50)});

INSTANTIATE_TEST_SUITE_P(Hsa, AfterContract, kHsa);
INSTANTIATE_TEST_SUITE_P(Hsa, CaptureContract, kHsa);
INSTANTIATE_TEST_SUITE_P(Hsa, CopyContract, kHsa);
INSTANTIATE_TEST_SUITE_P(Hsa, OrderContract, kHsa);
INSTANTIATE_TEST_SUITE_P(Hsa, ShareContract, kHsa);
INSTANTIATE_TEST_SUITE_P(Hsa, TaskContract, kHsa);
INSTANTIATE_TEST_SUITE_P(Hsa, TimelineContract, kHsa);

}  // namespace
}  // namespace conccl::backend::contract
