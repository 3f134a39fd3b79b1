// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Moved: include conccl/core/open_files.hpp.
#pragma once

#include "conccl/core/open_files.hpp"
