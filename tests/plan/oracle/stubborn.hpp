// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Which of the enabled events must be tried next, so that nothing is missed.
#pragma once

#include <vector>

#include "machine.hpp"

namespace conccl::plan::oracle {

/// A subset of `enabled` (all events enabled in `state`, at least one) that is enough to try.
///
/// Two events are dependent when they are of two copies that conflict, or of a copy and the start
/// or end of a rank that it touches: only their order can change what is read, or whether an access
/// falls into a copy in flight. All other pairs commute, and no event ever disables another.
///
/// The set is the enabled part of a *stubborn* set (Valmari): a set that holds, with an enabled
/// event, all events to come that depend on it, and with an event that is not enabled, some event
/// that must come before it. Then nothing outside the set can happen that depends on an enabled
/// member before some enabled member happens; so of any complete interleaving, the first member in
/// it can be moved to the front without reordering dependent events. Hence for every complete
/// interleaving an equivalent one is tried, and what is wrong in the one is wrong in the other.
[[nodiscard]] std::vector<Event> must_try(const Machine& machine, const State& state,
                                          const std::vector<Event>& enabled);

}  // namespace conccl::plan::oracle
