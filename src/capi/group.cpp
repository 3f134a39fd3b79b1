// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/group.hpp"

#include <optional>
#include <utility>

namespace conccl::capi {
namespace {

struct OpenGroup {
  int depth = 1;
  comm::Group calls;
  std::vector<Join> joins;
  std::vector<PendingWindow> windows;
  std::vector<std::shared_ptr<Comm>> comms;
  std::vector<std::shared_ptr<Stream>> streams;
  concclResult_t failure = concclSuccess;  ///< the first
  ErrorText failure_text;
};

// A thread may end inside a group. Its group then ends here, which needs the communicators' own
// thread-local state: constructed first, that outlives this.
struct ThreadSlot {
  ThreadSlot() { const comm::Group first; }

  std::unique_ptr<OpenGroup> group;
};

std::unique_ptr<OpenGroup>& open_group() {
  thread_local ThreadSlot slot;
  return slot.group;
}

void publish(const std::vector<PendingWindow>& windows) {
  for (const auto& [slot, window] : windows) {
    *slot = static_cast<concclWindow_t>(window_table().add(window));
  }
}

void publish(const std::vector<Join>& joins, const std::vector<std::shared_ptr<Comm>>& comms) {
  for (std::size_t i = 0; i < joins.size(); ++i) *joins[i].slot = add_handle(comms[i]);
}

bool any_failed(const OpenGroup& group) {
  for (const auto& comm : group.comms) {
    if (comm->communicator().async_error()) return true;
  }
  return false;
}

void run_calls(OpenGroup& group) {
  try {
    group.calls.end();
  } catch (const RunError& error) {
    if (any_failed(group)) throw PeerError(error.what());
    throw;
  }
}

concclResult_t run(OpenGroup& group) {
  if (group.failure != concclSuccess) {
    last_error_of_thread() = group.failure_text;
    return group.failure;
  }
  const auto comms = join_all(group.joins);
  run_calls(group);
  publish(group.joins, comms);
  publish(group.windows);
  return concclSuccess;
}

}  // namespace

void join_or_collect(Join wanted) {
  *wanted.slot = nullptr;
  if (OpenGroup* group = open_group().get()) {
    group->joins.push_back(std::move(wanted));
    return;
  }
  *wanted.slot = add_handle(join(wanted));
}

void publish_or_collect(PendingWindow pending) {
  if (OpenGroup* group = open_group().get()) {
    group->windows.push_back(std::move(pending));
  } else {
    publish({std::move(pending)});
  }
}

void keep_for_group(std::shared_ptr<Comm> comm, std::shared_ptr<Stream> stream) {
  OpenGroup* group = open_group().get();
  if (group == nullptr) return;
  group->comms.push_back(std::move(comm));
  if (stream != nullptr) group->streams.push_back(std::move(stream));
}

concclResult_t note_in_group(concclResult_t result) noexcept {
  OpenGroup* group = open_group().get();
  if (group != nullptr && result != concclSuccess && group->failure == concclSuccess) {
    group->failure = result;
    group->failure_text = last_error_of_thread();
  }
  return result;
}

}  // namespace conccl::capi

using namespace conccl::capi;

concclResult_t concclGroupStart() {
  return guarded([] {
    if (OpenGroup* group = open_group().get()) {
      ++group->depth;
    } else {
      open_group() = std::make_unique<OpenGroup>();
    }
  });
}

concclResult_t concclGroupEnd() {
  return guarded([] {
    OpenGroup* const group = open_group().get();
    if (group == nullptr) throw UsageError("concclGroupEnd: no group is open on this thread");
    if (--group->depth > 0) return concclSuccess;
    const auto ended = std::move(open_group());
    return run(*ended);
  });
}
