// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/cuda.hpp"
#include "tests/backend/contract/after_contract.hpp"
#include "tests/backend/contract/capture_contract.hpp"
#include "tests/backend/contract/copy_contract.hpp"
#include "tests/backend/contract/order_contract.hpp"
#include "tests/backend/contract/share_contract.hpp"
#include "tests/backend/contract/task_contract.hpp"
#include "tests/backend/contract/timeline_contract.hpp"

namespace conccl::backend::contract {
namespace {

const auto kCuda = testing::Values(
    // An event before the work may come after the flag before it.
    Target{"cuda", open_cuda, std::chrono::microseconds(20)});

INSTANTIATE_TEST_SUITE_P(Cuda, AfterContract, kCuda);
INSTANTIATE_TEST_SUITE_P(Cuda, CaptureContract, kCuda);
INSTANTIATE_TEST_SUITE_P(Cuda, CopyContract, kCuda);
INSTANTIATE_TEST_SUITE_P(Cuda, OrderContract, kCuda);
INSTANTIATE_TEST_SUITE_P(Cuda, ShareContract, kCuda);
INSTANTIATE_TEST_SUITE_P(Cuda, TaskContract, kCuda);
INSTANTIATE_TEST_SUITE_P(Cuda, TimelineContract, kCuda);

}  // namespace
}  // namespace conccl::backend::contract
