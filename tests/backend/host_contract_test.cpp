// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/host.hpp"
#include "tests/backend/contract/after_contract.hpp"
#include "tests/backend/contract/capture_contract.hpp"
#include "tests/backend/contract/copy_contract.hpp"
#include "tests/backend/contract/order_contract.hpp"
#include "tests/backend/contract/share_contract.hpp"
#include "tests/backend/contract/task_contract.hpp"
#include "tests/backend/contract/timeline_contract.hpp"

namespace conccl::backend::contract {
namespace {

const auto kHost = testing::Values(Target{"host", open_host});

INSTANTIATE_TEST_SUITE_P(Host, AfterContract, kHost);
INSTANTIATE_TEST_SUITE_P(Host, CaptureContract, kHost);
INSTANTIATE_TEST_SUITE_P(Host, CopyContract, kHost);
INSTANTIATE_TEST_SUITE_P(Host, OrderContract, kHost);
INSTANTIATE_TEST_SUITE_P(Host, ShareContract, kHost);
INSTANTIATE_TEST_SUITE_P(Host, TaskContract, kHost);
INSTANTIATE_TEST_SUITE_P(Host, TimelineContract, kHost);

}  // namespace
}  // namespace conccl::backend::contract
