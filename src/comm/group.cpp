// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/group.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "conccl/comm/communicator.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

/// A group belongs to a thread, as in NCCL, because calls on different communicators join it.
struct ThreadGroups {
  int depth = 0;
  std::vector<GroupedCall> calls;
};

ThreadGroups& this_thread() {
  thread_local ThreadGroups groups;
  return groups;
}

/// Moves the first calls of each communicator out of `calls`; the order of a communicator's calls
/// stays.
std::vector<GroupedCall> next_pass(std::vector<GroupedCall>& calls) {
  std::map<const void*, int> taken;
  const auto later = std::stable_partition(calls.begin(), calls.end(), [&](const auto& call) {
    return ++taken[call.communicator] <= kCallsPerPass;
  });
  std::vector<GroupedCall> pass(std::make_move_iterator(calls.begin()),
                                std::make_move_iterator(later));
  calls.erase(calls.begin(), later);
  return pass;
}

}  // namespace

void run_or_collect(GroupedCall call) {
  if (this_thread().depth > 0) {
    this_thread().calls.push_back(std::move(call));
    return;
  }
  call.post();
  call.finish();
}

Group::Group() { ++this_thread().depth; }

Group::~Group() {
  if (open_) {
    --this_thread().depth;
    this_thread().calls.clear();
  }
}

void Group::end() {
  if (!open_) throw InputError("group: already ended");
  open_ = false;
  if (--this_thread().depth > 0) return;
  auto calls = std::exchange(this_thread().calls, {});
  while (!calls.empty()) {
    const auto pass = next_pass(calls);
    for (const auto& call : pass) call.post();
    for (const auto& call : pass) call.finish();
  }
}

}  // namespace conccl::comm
