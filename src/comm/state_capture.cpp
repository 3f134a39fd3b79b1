// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Calls on a stream that is being captured.

#include <fmt/format.h>

#include <cstring>

#include "comm/state.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

CapturePost capture_post_in(const HostPost& post) {
  CapturePost found;
  static_assert(sizeof found <= Communicator::kMaxExchange);
  static_assert(std::is_trivially_copyable_v<CapturePost>);
  std::memcpy(&found, post.data.data(), sizeof found);
  return found;
}

}  // namespace

void Communicator::State::check_capture(const PreparedCall& call) const {
  const auto operation = name_of(call.post.operation);
  if (call.stream->capture() == backend::Queue::kBrokenCapture) {
    throw InputError(fmt::format(
        "{}: the capture of its stream has failed before: end it, and begin again", operation));
  }
  if (call.post.operation == Operation::plan) {
    throw InputError(
        "plan: its stream is being captured, and a plan of the caller's cannot be: run it outside "
        "of the capture");
  }
  if (call.request.block == 0 || windowed(call)) return;
  throw InputError(fmt::format(
      "{}: its stream is being captured, and {} is an ordinary buffer, whose addresses at the "
      "peers are only known from call to call: register a window for it, or call outside of the "
      "capture",
      operation, call.post.recv.window < 0 ? "recv" : "send"));
}

void Communicator::State::post_capture(PreparedCall& call) {
  captured_.tidy();
  if (captured_.empty()) {
    captured_.add(*session_->keep(device_.make_flags(captured_.flags_per_block())));
  }
  call.flags = captured_.take();
  CapturePost post;
  post.call = call.post;
  post.block = call.flags.block;
  post.first = call.flags.first;
  const auto& memory = call.flags.block->memory();
  post.memory.address = bytes_at(memory.data());
  announce(post.memory, memory.bytes());
  call.sequence = post_host(host_post(Operation::capture, std::as_bytes(std::span(&post, 1))));
}

backend::FlagBlock& Communicator::State::block_of(const CapturePost& theirs, int peer) {
  const int size = captured_.flags_per_block();
  if (theirs.first < 0 || theirs.first > size - captured_.flags_per_set()) {
    throw RunError(
        fmt::format("rank {} captures with flags from {} of {} on", peer, theirs.first, size));
  }
  if (peer == rank_ || session_->peers() == nullptr) return *theirs.block;
  auto*& block = peer_blocks_[{peer, theirs.memory.allocation}];
  if (block == nullptr) {
    block = session_->keep(device_.map_flags(peer_memory(theirs.memory, peer, 1), size));
  }
  return *block;
}

std::vector<std::shared_ptr<void>> Communicator::State::window_memory(
    const PreparedCall& call) const {
  std::vector<std::shared_ptr<void>> memory;
  for (const Location* location : {&call.post.send, &call.post.recv}) {
    const auto* window = window_at(*location);
    if (window != nullptr) memory.insert(memory.end(), window->kept.begin(), window->kept.end());
  }
  return memory;
}

void Communicator::State::capture(const PreparedCall& call) {
  const auto posts = session_->await_host(rank_, call.sequence);
  std::vector<backend::FlagBlock*> blocks;
  std::vector<int> first_flags;
  for (int rank = 0; rank < session_->ranks(); ++rank) {
    const auto theirs = capture_post_in(posts[static_cast<std::size_t>(rank)]);
    blocks.push_back(&block_of(theirs, rank));
    first_flags.push_back(theirs.first);
  }
  take_host(call.sequence);
  const auto buffers = bind(call);
  const auto& lanes = plans_.get(call.request, call.method, rank_);
  executor_.prepare(lanes, *call.stream);
  call.stream->keep(captured_.lease(call.flags, window_memory(call)));
  backend::Bindings bindings;
  bindings.rank = rank_;
  bindings.buffers = buffers;
  bindings.flags = blocks;
  bindings.first_flags = first_flags;
  bindings.use = backend::FlagUse::reset;
  executor_.launch(lanes, bindings, *call.stream);
  call.stream->submit();
}

}  // namespace conccl::comm
