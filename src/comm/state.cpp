// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "comm/plan_check.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::comm {
namespace {

Operation operation_of(plan::Collective collective) {
  return collective == plan::Collective::all_gather ? Operation::all_gather : Operation::all_to_all;
}

std::byte* bytes_at(const void* address) {
  return static_cast<std::byte*>(const_cast<void*>(address));
}

bool overlap(const std::byte* a, Bytes a_bytes, const std::byte* b, Bytes b_bytes) {
  return a_bytes > 0 && b_bytes > 0 && a < b + b_bytes && b < a + a_bytes;
}

}  // namespace

Communicator::State::State(std::shared_ptr<Session> shared, int rank, backend::Device& device,
                           int engines)
    : session_(std::move(shared)),
      rank_(rank),
      device_(device),
      engines_(engines),
      executor_(device) {}

Communicator::State::~State() {
  if (stream_has_passed()) return;
  session_->poison(fmt::format("rank {} was destroyed with calls in flight", rank_));
  if (stream_has_passed()) return;
  log(LogLevel::warning,
      fmt::format("communicator '{}' rank {}: its stream is stuck before call {}; "
                  "the flags it will touch are left in place",
                  session_->options().name, rank_, launched_));
  executor_.abandon();
  session_->abandon_completion();
}

bool Communicator::State::stream_has_passed() const {
  const auto done = session_->completion(rank_);
  return done.block->wait(done.index, launched_, session_->options().deadline) ==
         backend::WaitResult::raised;
}

PreparedCall Communicator::State::prepare(plan::Collective collective, const void* send, void* recv,
                                          std::uint64_t count, DataType type) {
  PreparedCall call;
  const Bytes block = checked_product(count, size_of(type), name_of(collective));
  const Bytes own_block = static_cast<Bytes>(rank_) * block;
  const bool in_place = collective == plan::Collective::all_gather && recv != nullptr &&
                        send == bytes_at(recv) + own_block;
  call.request = {collective, session_->ranks(), block,
                  in_place ? plan::Placement::in_place : plan::Placement::out_of_place};
  call.post.operation = operation_of(collective);
  call.post.collective = collective;
  call.post.placement = call.request.placement;
  call.post.type = type;
  call.post.count = count;
  call.post.send.address = bytes_at(send);
  call.post.recv.address = bytes_at(recv);
  check_buffers(call);
  call.method = choose_method();
  return call;
}

PreparedCall Communicator::State::prepare(const PlanCall& plan_call) {
  PreparedCall call;
  call.request = plan_call.request;
  check_plan_call(plan_call, {rank_, session_->ranks(), session_->flags_per_rank()});
  call.lanes = plan_call.lanes;
  call.tasks = plan_call.tasks;
  call.times = plan_call.times;
  call.post.operation = Operation::plan;
  call.post.collective = call.request.collective;
  call.post.placement = call.request.placement;
  call.post.count = call.request.block;
  call.post.send.address = bytes_at(plan_call.send);
  call.post.recv.address = bytes_at(plan_call.recv);
  check_buffers(call);
  return call;
}

void Communicator::State::check_buffers(const PreparedCall& call) const {
  plan::validate(call.request);
  const auto operation = name_of(call.post.operation);
  const Bytes send = plan::send_bytes(call.request);
  const Bytes recv = plan::recv_bytes(call.request);
  const auto require = [&](const std::byte* address, Bytes bytes, std::string_view what) {
    if (bytes == 0) return;
    if (address == nullptr) {
      throw InputError(fmt::format("{}: {} is null, expected {} bytes", operation, what, bytes));
    }
    const auto available = device_.bytes_behind(address);
    if (available && *available < bytes) {
      throw InputError(
          fmt::format("{}: {} is too small, {} bytes lie behind its address, expected "
                      "{}",
                      operation, what, *available, bytes));
    }
  };
  require(call.post.send.address, send, "send");
  require(call.post.recv.address, recv, "recv");
  if (overlap(call.post.send.address, send, call.post.recv.address, recv)) {
    throw InputError(fmt::format("{}: send and recv overlap; {}", operation,
                                 call.request.collective == plan::Collective::all_gather
                                     ? "in place means send == recv + rank * count elements"
                                     : "in-place all_to_all is not supported"));
  }
}

Location Communicator::State::locate(std::byte* address, Bytes bytes, std::string_view what) const {
  Location location;
  location.address = address;
  Bytes most = 0;
  for (std::size_t id = 0; id < windows_.size(); ++id) {
    const auto& window = windows_[id];
    if (window.bases.empty() || address < window.own || address >= window.own + window.bytes) {
      continue;
    }
    const auto offset = static_cast<Bytes>(address - window.own);
    most = std::max(most, window.bytes - offset);
    if (window.bytes - offset < bytes) continue;
    location.window = static_cast<int>(id);
    location.offset = offset;
  }
  if (most > 0 && location.window < 0) {
    throw InputError(fmt::format(
        "{} leaves its window: {} bytes lie behind its address, expected {}", what, most, bytes));
  }
  return location;
}

void Communicator::State::post(PreparedCall& call) {
  session_->require_healthy();
  call.post.send = locate(call.post.send.address, plan::send_bytes(call.request), "send");
  call.post.recv = locate(call.post.recv.address, plan::recv_bytes(call.request), "recv");
  call.sequence = ++calls_;
  session_->post(Channel::calls, call.sequence, rank_, call.post);
}

std::byte* Communicator::State::peer_address(const Location& own, const Location& theirs,
                                             int peer) const {
  if (own.window < 0) return theirs.address;
  const auto& window = windows_[static_cast<std::size_t>(own.window)];
  return window.bases[static_cast<std::size_t>(peer)] + own.offset;
}

std::vector<backend::RankBuffers> Communicator::State::bind(const PreparedCall& call) {
  const bool needs_send = call.request.placement == plan::Placement::out_of_place;
  const bool windowed = call.post.recv.window >= 0 && (!needs_send || call.post.send.window >= 0);
  std::vector<Post> posts;
  if (!windowed) posts = session_->await(Channel::calls, call.sequence, rank_);

  std::vector<backend::RankBuffers> buffers(static_cast<std::size_t>(session_->ranks()));
  for (int rank = 0; rank < session_->ranks(); ++rank) {
    const Post& theirs = windowed ? call.post : posts[static_cast<std::size_t>(rank)];
    auto& entry = buffers[static_cast<std::size_t>(rank)];
    entry.send = peer_address(call.post.send, theirs.send, rank);
    entry.recv = peer_address(call.post.recv, theirs.recv, rank);
  }
  return buffers;
}

plan::Method Communicator::State::choose_method() {
  const auto policy = session_->options().policy;
  plan::Method method;
  method.direction = session_->options().direction;
  const bool dma = policy != Policy::compute && engines_ > 0;
  if (policy == Policy::dma && !dma) {
    throw Unavailable(fmt::format("policy dma: the device of rank {} has no DMA engines", rank_));
  }
  method.form = dma ? plan::Form::dma : plan::Form::compute;
  if (dma) {
    method.engines = engines_;
    ++statistics_.dma;
  } else if (++statistics_.compute == 1 && policy == Policy::automatic) {
    log(LogLevel::info, fmt::format("communicator '{}' rank {}: no DMA engines, collectives run on "
                                    "compute units",
                                    session_->options().name, rank_));
  }
  return method;
}

void Communicator::State::launch(const PreparedCall& call) {
  session_->require_healthy();
  const auto buffers = bind(call);
  const auto& lanes =
      call.lanes != nullptr ? *call.lanes : plans_.get(call.request, call.method, rank_);
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
}

void Communicator::State::add_window(int id, void* data, Bytes bytes) {
  session_->require_healthy();
  const auto index = static_cast<std::size_t>(id);
  if (windows_.size() <= index) windows_.resize(index + 1);
  windows_[index] = {bytes_at(data), bytes, {}};
  Post post;
  post.operation = Operation::register_window;
  post.count = bytes;
  post.recv.address = bytes_at(data);
  session_->post(Channel::registrations, index + 1, rank_, post);
}

void Communicator::State::check_window(void* data, Bytes bytes) const {
  if (data == nullptr || bytes == 0) {
    throw InputError("window: expected a buffer of at least 1 byte, found none");
  }
  const auto available = device_.bytes_behind(data);
  if (available && *available < bytes) {
    throw InputError(
        fmt::format("window: {} bytes asked for, the allocation has {}", bytes, *available));
  }
}

void Communicator::State::finish_window(int id) {
  const auto sequence = static_cast<std::uint64_t>(id) + 1;
  auto& window = windows_[static_cast<std::size_t>(id)];
  for (const auto& post : session_->await(Channel::registrations, sequence, rank_)) {
    window.bases.push_back(post.recv.address);
  }
}

void Communicator::State::drop_window(int id) {
  if (id < 0 || id >= static_cast<int>(windows_.size()) ||
      windows_[static_cast<std::size_t>(id)].bases.empty()) {
    throw InputError(fmt::format("window: {} is not registered", id));
  }
  windows_[static_cast<std::size_t>(id)].bases.clear();
}

}  // namespace conccl::comm
