// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// This program's HSA runtime is the double.

#include <cstdlib>

namespace conccl::test {
namespace {

[[maybe_unused]] const int kChosen = setenv("CONCCL_HSA", CONCCL_FAKE_HSA_PATH, 1);

}  // namespace
}  // namespace conccl::test
