// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a device may still touch when its owner goes.
#pragma once

#include <memory>

namespace conccl::comm {

/// Keeps `what` until the process ends, and does not destroy it then either. Any thread.
void leave_in_place(std::shared_ptr<void> what);

}  // namespace conccl::comm
