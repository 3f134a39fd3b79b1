// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What of a study can run here, and why the rest cannot.
#pragma once

#include <vector>

#include "bench/peers/peers.hpp"
#include "conccl/bench/study.hpp"

namespace conccl::bench {

/// How the ranks of a study meet.
[[nodiscard]] comm::Options communicator_options(const StudyOptions& options);

/// What strategies need to know of the device.
[[nodiscard]] c3::DeviceShape shape_of(const backend::Capabilities& capabilities);

/// The strategies that can run here, of those asked for or else all; the others go to `skipped`.
[[nodiscard]] std::vector<c3::Strategy> runnable_strategies(const StudyOptions& options,
                                                            const c3::DeviceShape& device,
                                                            const Peers& peers,
                                                            std::vector<Skipped>& skipped);

/// The scenarios whose GEMM there is; each of the others goes to `skipped` once, whatever the
/// number of its collectives.
[[nodiscard]] std::vector<c3::Scenario> runnable_scenarios(const c3::Suite& suite,
                                                           const backend::GemmOffers& gemms,
                                                           std::vector<Skipped>& skipped);

}  // namespace conccl::bench
