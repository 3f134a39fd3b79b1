// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
  const bool passed = stream_has_passed();
  if (!passed) session_->fail(fmt::format("rank {} was destroyed with calls in flight", rank_));
  // Peers that have yet to map this rank's memory could not do so once it is freed.
  if (session_->peers() != nullptr) session_->await_peers(host_taken_);
  session_->leave(rank_);
  if (passed || stream_has_passed()) return;
  log(LogLevel::warning,
      fmt::format("communicator '{}' rank {}: its stream is stuck before call {}; "
                  "the flags it will touch are left in place",
                  session_->options().name, rank_, launched_));
  executor_.abandon();
  session_->abandon_completion();
  for (auto& window : windows_) in_use_.push_back({launched_, std::move(window.kept)});
  [[maybe_unused]] const auto* left_mapped = new auto(std::move(in_use_));
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
    if (!available && session_->peers() != nullptr) {
      throw InputError(fmt::format(
          "{}: {} is not memory of this rank's device, which is all that other processes can "
          "reach; allocate it from the device",
          operation, what));
    }
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

void Communicator::State::announce(Location& location) {
  if (session_->peers() == nullptr || location.window >= 0) return;
  const auto allocation = device_.allocation_of(location.address);
  if (!allocation) return;  // a call of no bytes
  try {
    session_->peers()->announce(*allocation);
  } catch (const RunError& error) {
    session_->fail(fmt::format("rank {}: {}", rank_, error.what()));
    session_->failure().require_none();
  }
  location.allocation = allocation->id;
  location.offset = static_cast<Bytes>(location.address - allocation->base);
}

void Communicator::State::post(PreparedCall& call) {
  session_->failure().require_none();
  call.post.send = locate(call.post.send.address, plan::send_bytes(call.request), "send");
  call.post.recv = locate(call.post.recv.address, plan::recv_bytes(call.request), "recv");
  announce(call.post.send);
  announce(call.post.recv);
  call.sequence = ++calls_;
  session_->post_call(rank_, call.sequence, call.post);
}

backend::Memory Communicator::State::peer_memory(const Location& theirs, int peer, Bytes bytes) {
  const auto until = Clock::now() + session_->options().deadline;
  try {
    auto memory = session_->peers()->resolve(peer, theirs.allocation, until);
    if (theirs.offset <= memory.bytes() && bytes <= memory.bytes() - theirs.offset) return memory;
    throw RunError(fmt::format("rank {} named {} bytes at offset {} of {}", peer, bytes,
                               theirs.offset, memory.bytes()));
  } catch (const RunError& error) {
    session_->fail(fmt::format("rank {}: {}", rank_, error.what()));
    session_->failure().require_none();
    throw;
  }
}

std::byte* Communicator::State::peer_address(const Location& own, const Location& theirs, int peer,
                                             Bytes bytes) {
  if (own.window >= 0) {
    const auto& window = windows_[static_cast<std::size_t>(own.window)];
    return window.bases[static_cast<std::size_t>(peer)] + own.offset;
  }
  if (session_->peers() == nullptr || peer == rank_) return theirs.address;
  if (theirs.allocation == 0 || bytes == 0) return nullptr;
  const auto memory = peer_memory(theirs, peer, bytes);
  borrowed_.push_back(memory.owner());
  return memory.at(theirs.offset);
}

bool Communicator::State::windowed(const PreparedCall& call) const {
  const bool needs_send = call.request.placement == plan::Placement::out_of_place;
  return call.post.recv.window >= 0 && (!needs_send || call.post.send.window >= 0);
}

std::vector<backend::RankBuffers> Communicator::State::bind(const PreparedCall& call) {
  const bool alone = windowed(call);
  if (!alone) session_->await_calls(rank_, call.sequence);
  const Bytes send = plan::send_bytes(call.request);
  const Bytes recv = plan::recv_bytes(call.request);
  std::vector<backend::RankBuffers> buffers(static_cast<std::size_t>(session_->ranks()));
  for (int rank = 0; rank < session_->ranks(); ++rank) {
    const Post& theirs = alone ? call.post : session_->call_of(rank, call.sequence);
    auto& entry = buffers[static_cast<std::size_t>(rank)];
    entry.send = peer_address(call.post.send, theirs.send, rank, send);
    entry.recv = peer_address(call.post.recv, theirs.recv, rank, recv);
  }
  session_->take_call(rank_, call.sequence);
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
  session_->failure().require_none();
  let_go();
  try {
    enqueue(call);
  } catch (const Error& error) {
    // The peers wait for what this rank will not do.
    session_->fail(fmt::format("rank {}: call {}: {}", rank_, call.sequence, error.what()));
    throw;
  }
}

void Communicator::State::enqueue(const PreparedCall& call) {
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

void Communicator::State::add_window(int id, void* data, Bytes bytes) {
  session_->failure().require_none();
  const auto window = static_cast<std::size_t>(id);
  if (windows_.size() <= window) windows_.resize(window + 1);
  if (registrations_.size() <= window) registrations_.resize(window + 1);
  windows_[window] = {bytes_at(data), bytes, {}, {}};
  Post post;
  post.operation = Operation::register_window;
  post.count = bytes;
  post.recv.address = bytes_at(data);
  announce(post.recv);
  if (const auto allocation = device_.allocation_of(data)) {
    windows_[window].kept.push_back(allocation->memory.lock());
  }
  registrations_[window] = post_host(host_post(post));
}

void Communicator::State::check_window(void* data, Bytes bytes) const {
  if (data == nullptr || bytes == 0) {
    throw InputError("window: expected a buffer of at least 1 byte, found none");
  }
  const auto available = device_.bytes_behind(data);
  if (!available && session_->peers() != nullptr) {
    throw InputError(
        "window: not memory of this rank's device, which is all that other processes can reach; "
        "allocate it from the device");
  }
  if (available && *available < bytes) {
    throw InputError(
        fmt::format("window: {} bytes asked for, the allocation has {}", bytes, *available));
  }
}

void Communicator::State::finish_window(int id) {
  const auto index = static_cast<std::size_t>(id);
  const auto posts = session_->await_host(rank_, registrations_[index]);
  std::vector<std::byte*> bases;
  for (int rank = 0; rank < session_->ranks(); ++rank) {
    const auto theirs = post_in(posts[static_cast<std::size_t>(rank)]);
    bases.push_back(peer_address({}, theirs.recv, rank, theirs.count));
  }
  take_host(registrations_[index]);
  auto& window = windows_[index];
  window.bases = std::move(bases);
  const auto mapped = std::exchange(borrowed_, {});
  window.kept.insert(window.kept.end(), mapped.begin(), mapped.end());
}

void Communicator::State::drop_window(int id) {
  if (id < 0 || id >= static_cast<int>(windows_.size()) ||
      windows_[static_cast<std::size_t>(id)].bases.empty()) {
    throw InputError(fmt::format("window: {} is not registered", id));
  }
  auto& window = windows_[static_cast<std::size_t>(id)];
  window.bases.clear();
  // Calls that are enqueued may still be under way.
  in_use_.push_back(
      {launched_, std::exchange(window.kept, {}), registrations_[static_cast<std::size_t>(id)]});
  let_go();
}

std::uint64_t Communicator::State::post_host(const HostPost& post) {
  session_->failure().require_none();
  session_->post_host(rank_, ++host_calls_, post);
  return host_calls_;
}

void Communicator::State::take_host(std::uint64_t sequence) {
  session_->take_host(rank_, sequence);
  host_taken_ = sequence;
}

std::vector<HostPost> Communicator::State::exchange(const HostPost& post) {
  const auto sequence = post_host(post);
  auto posts = session_->await_host(rank_, sequence);
  take_host(sequence);
  return posts;
}

std::vector<backend::FlagBlock*> Communicator::State::shared_flags(int count) {
  auto* own = session_->keep(device_.make_flags(count));
  Post post;
  post.operation = Operation::shared_flags;
  post.count = static_cast<std::uint64_t>(count);
  post.send.address = reinterpret_cast<std::byte*>(own);
  post.recv.address = bytes_at(own->memory().data());
  announce(post.recv);
  const auto sequence = post_host(host_post(post));
  const auto posts = session_->await_host(rank_, sequence);
  std::vector<backend::FlagBlock*> blocks;
  for (int rank = 0; rank < session_->ranks(); ++rank) {
    const auto theirs = post_in(posts[static_cast<std::size_t>(rank)]);
    if (rank == rank_ || session_->peers() == nullptr) {
      blocks.push_back(reinterpret_cast<backend::FlagBlock*>(theirs.send.address));
    } else {
      auto memory = peer_memory(theirs.recv, rank, 1);
      blocks.push_back(session_->keep(device_.map_flags(std::move(memory), count)));
    }
  }
  take_host(sequence);
  return blocks;
}

}  // namespace conccl::comm
