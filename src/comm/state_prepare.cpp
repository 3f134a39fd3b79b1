// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What a rank checks before it tells any peer.

#include "comm/state.hpp"

#include <fmt/format.h>

#include "comm/plan_check.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::comm {
namespace {

Operation operation_of(plan::Collective collective) {
  return collective == plan::Collective::all_gather ? Operation::all_gather : Operation::all_to_all;
}

bool overlap(const std::byte* a, Bytes a_bytes, const std::byte* b, Bytes b_bytes) {
  return a_bytes > 0 && b_bytes > 0 && a < b + b_bytes && b < a + a_bytes;
}

}  // namespace

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
  call.post.beside = choice_.told();
  call.post.send.address = bytes_at(send);
  call.post.recv.address = bytes_at(recv);
  check_buffers(call);
  call.method = choose_method(call.request);
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
    // What lies there was looked at when it was registered; `locate` sees whether it still does.
    if (in_window(address, bytes)) return;
    if (const auto why = device_.why_unusable(address, bytes, reach())) {
      throw InputError(fmt::format("{}: {} {}", operation, what, *why));
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

plan::Method Communicator::State::choose_method(const plan::Request& request) {
  plan::Method method;
  const auto form = choose_form(request);
  if (form == plan::Form::dma) method = dma_method_;
  method.form = form;
  method.direction = session_->options().direction;
  ++(form == plan::Form::dma ? statistics_.dma : statistics_.compute);
  return method;
}

plan::Form Communicator::State::choose_form(const plan::Request& request) {
  const auto policy = session_->options().policy;
  if (policy == Policy::compute) return plan::Form::compute;
  if (dma_method_.engines == 0) {
    if (policy == Policy::dma) {
      throw Unavailable(fmt::format("policy dma: the device of rank {} has no DMA engines", rank_));
    }
    if (statistics_.compute == 0) log_choice("no DMA engines, collectives run on compute units");
    return plan::Form::compute;
  }
  if (policy == Policy::dma || !choice_.knows_machine() || request.block == 0) {
    return plan::Form::dma;
  }
  const auto choice = choice_.choose(request);
  if (!choice.news.empty()) {
    const auto& beside = choice_.told();
    log_choice(fmt::format("{} of {} beside {} on {}: {}", plan::name_of(request.collective),
                           format_bytes(plan::total_bytes(request)),
                           beside ? to_string(*beside) : "no GEMM that is known",
                           choice.form == plan::Form::dma ? "DMA engines" : "compute units",
                           choice.news));
  }
  return choice.form;
}

void Communicator::State::log_choice(std::string_view what) const {
  log(LogLevel::info,
      fmt::format("communicator '{}' rank {}: {}", session_->options().name, rank_, what));
}

void Communicator::State::check_window(void* data, Bytes bytes) const {
  if (data == nullptr || bytes == 0) {
    throw InputError("window: expected a buffer of at least 1 byte, found none");
  }
  if (const auto why = device_.why_unusable(data, bytes, reach())) {
    throw InputError(fmt::format("window: the buffer {}", *why));
  }
}

}  // namespace conccl::comm
