// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/state.hpp"

#include <fmt/format.h>

#include <utility>

#include "comm/left_in_place.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::comm {

Communicator::State::State(std::shared_ptr<Session> shared, int rank, backend::Device& device,
                           const plan::Method& method, std::shared_ptr<const Machine> machine)
    : session_(std::move(shared)),
      rank_(rank),
      device_(device),
      dma_method_(method),
      choice_(std::move(machine)),
      executor_(device),
      captured_(2 * session_->ranks()) {}

Communicator::State::~State() {
  const bool passed = stream_has_passed();
  if (!passed) session_->fail(fmt::format("rank {} was destroyed with calls in flight", rank_));
  // Peers that have yet to map this rank's memory could not do so once it is freed.
  if (session_->peers() != nullptr) session_->await_peers(host_taken_);
  session_->leave(rank_);
  if (const int held = captured_.leased(); held > 0) {
    log(LogLevel::warning,
        fmt::format(
            "communicator '{}' rank {}: graphs hold {} of its collectives; they must not be "
            "launched any more, and what they touch is left in place",
            session_->options().name, rank_, held));
    session_->abandon_flags();
  }
  if (passed || stream_has_passed()) return;
  log(LogLevel::warning,
      fmt::format("communicator '{}' rank {}: its stream is stuck before call {}; "
                  "the flags it will touch are left in place",
                  session_->options().name, rank_, launched_));
  session_->abandon_flags();
  for (auto& window : windows_) in_use_.push_back({launched_, std::move(window.kept)});
  leave_in_place(std::make_shared<std::deque<InUse>>(std::move(in_use_)));
}

bool Communicator::State::stream_has_passed() const {
  const auto done = session_->completion(rank_);
  return done.block->wait(done.index, launched_, session_->options().deadline) ==
         backend::WaitResult::raised;
}

void Communicator::State::check(PreparedCall& call) const {
  call.post.send = locate(call.post.send.address, plan::send_bytes(call.request), "send");
  call.post.recv = locate(call.post.recv.address, plan::recv_bytes(call.request), "recv");
  call.captured = call.stream->capturing();
  if (call.captured) check_capture(call);
}

void Communicator::State::fail_call(std::uint64_t sequence, const std::string& why) {
  session_->fail(fmt::format("rank {}: call {}: {}", rank_, sequence, why));
}

void Communicator::State::post(PreparedCall& call) {
  session_->failure().require_none();
  if (call.captured) {
    post_capture(call);
    return;
  }
  announce(call.post.send, plan::send_bytes(call.request));
  announce(call.post.recv, plan::recv_bytes(call.request));
  call.sequence = ++calls_;
  session_->post_call(rank_, call.sequence, call.post);
}

bool Communicator::State::windowed(const PreparedCall& call) const {
  const bool needs_send = call.request.placement == plan::Placement::out_of_place;
  return call.post.recv.window >= 0 && (!needs_send || call.post.send.window >= 0);
}

std::span<const backend::RankBuffers> Communicator::State::bind(const PreparedCall& call) {
  const bool alone = call.captured || windowed(call);
  if (!alone) session_->await_calls(rank_, call.sequence);
  const Bytes send = plan::send_bytes(call.request);
  const Bytes recv = plan::recv_bytes(call.request);
  const auto* send_window = window_at(call.post.send);
  const auto* recv_window = window_at(call.post.recv);
  bound_.resize(static_cast<std::size_t>(session_->ranks()));
  for (int rank = 0; rank < session_->ranks(); ++rank) {
    const Post& theirs = alone ? call.post : session_->call_of(rank, call.sequence);
    auto& entry = bound_[static_cast<std::size_t>(rank)];
    entry.send = peer_address(send_window, send_window != nullptr ? call.post.send : theirs.send,
                              rank, send);
    entry.recv = peer_address(recv_window, recv_window != nullptr ? call.post.recv : theirs.recv,
                              rank, recv);
  }
  if (!call.captured) session_->take_call(rank_, call.sequence);
  return bound_;
}

void Communicator::State::launch(const PreparedCall& call) {
  session_->failure().require_none();
  let_go();
  try {
    if (call.captured) {
      capture(call);
    } else {
      enqueue(call);
    }
  } catch (const std::exception& error) {
    // The peers wait for what this rank will not do.
    fail_call(call.sequence, error.what());
    throw;
  }
}

void Communicator::State::enqueue(const PreparedCall& call) {
  const auto buffers = bind(call);
  const auto& lanes =
      call.lanes != nullptr ? *call.lanes : plans_.get(call.request, call.method, rank_);
  executor_.prepare(lanes, *call.stream);
  // Flags carry the sequence number, so calls of one communicator never run side by side.
  if (last_stream_ != call.stream) {
    call.stream->wait(session_->completion(rank_), call.sequence - 1);
    last_stream_ = call.stream;
  }
  backend::Bindings bindings;
  bindings.rank = rank_;
  bindings.buffers = buffers;
  bindings.flags = session_->flags();
  bindings.sequence = call.sequence;
  bindings.tasks = call.tasks;
  bindings.times = call.times;
  executor_.launch(lanes, bindings, *call.stream);
  launched_ = call.sequence;
  call.stream->signal(session_->completion(rank_), call.sequence);
  call.stream->submit();
  if (!borrowed_.empty()) in_use_.push_back({launched_, std::exchange(borrowed_, {})});
}

void Communicator::State::let_go() {
  if (in_use_.empty()) return;
  const auto done = session_->completion(rank_);
  const std::uint64_t passed = done.block->value(done.index);
  while (!in_use_.empty() && in_use_.front().last <= passed &&
         session_->host_taken_by_all(in_use_.front().named_in)) {
    in_use_.pop_front();
  }
}

}  // namespace conccl::comm
