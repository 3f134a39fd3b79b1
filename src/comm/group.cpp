// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/group.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "conccl/comm/communicator.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

using Calls = std::vector<std::unique_ptr<GroupedCall>>;

/// A group belongs to a thread, as in NCCL, because calls on different communicators join it.
struct ThreadGroups {
  int depth = 0;
  Calls calls;
};

ThreadGroups& this_thread() {
  thread_local ThreadGroups groups;
  return groups;
}

/// Moves the first calls of each communicator out of `calls`; the order of a communicator's calls
/// stays.
Calls next_pass(Calls& calls) {
  std::map<const void*, int> taken;
  Calls pass;
  Calls later;
  for (auto& call : calls) {
    const bool now = ++taken[call->communicator()] <= kCallsPerPass;
    (now ? pass : later).push_back(std::move(call));
  }
  calls = std::move(later);
  return pass;
}

void abandon(std::span<const std::unique_ptr<GroupedCall>> calls, const std::exception& error) {
  for (const auto& call : calls) {
    call->abandon(fmt::format("another call of its group failed: {}", error.what()));
  }
}

void run(const Calls& pass) {
  for (const auto& call : pass) call->check();
  const std::span<const std::unique_ptr<GroupedCall>> all(pass);
  std::size_t posted = 0;
  std::size_t finished = 0;
  try {
    for (; posted < all.size(); ++posted) all[posted]->post();
    for (; finished < all.size(); ++finished) all[finished]->finish();
  } catch (const std::exception& error) {
    abandon(all.first(posted).subspan(finished), error);
    throw;
  }
}

}  // namespace

bool group_is_open() { return this_thread().depth > 0; }

void collect(std::unique_ptr<GroupedCall> call) { this_thread().calls.push_back(std::move(call)); }

void run_now(GroupedCall& call) {
  call.check();
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
  while (!calls.empty()) run(next_pass(calls));
}

}  // namespace conccl::comm
