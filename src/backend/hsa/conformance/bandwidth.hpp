// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A small table of speeds: from GPU 0 to each peer, one engine each, and to all of them at once.
#pragma once

#include "backend/hsa/conformance/session.hpp"
#include "backend/hsa/conformance/transcript.hpp"

namespace conccl::backend::hsa::conformance {

/// Sizes up to `most`, by the host's clock from the call to the signal, the median of some copies.
void measure_bandwidth(Session& session, Bytes most, Transcript& transcript);

}  // namespace conccl::backend::hsa::conformance
