// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/peers/nccl_peer.hpp"

#include <fmt/format.h>

#include <utility>

#include "conccl/backend/cuda.hpp"
#include "conccl/c3/strategy.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

constexpr Bytes kTrialBlock = 64 * kKiB;

}  // namespace

NcclPeer::NcclPeer(NcclSetting setting, std::string name) : setting_(std::move(setting)) {
  facts_.name = std::move(name);
  facts_.version = setting_.api->version();
  add_note(fmt::format("library {}", setting_.api->path));
  add_note(fmt::format("environment {}", nccl::environment()));
}

void NcclPeer::add_communicator(int max_ctas, int policy) {
  Ranks& ranks = *setting_.ranks;
  nccl::UniqueId id{};
  if (ranks.leads()) id = nccl::make_unique_id(*setting_.api);
  id = ranks.gather(std::vector<nccl::UniqueId>{id}).front();
  const nccl::CommSpec spec{ranks.rank_of(0), ranks.size(), max_ctas, policy};
  communicators_.push_back(
      std::make_unique<nccl::Communicator>(setting_.api, spec, id, setting_.caller));
}

std::vector<int> NcclPeer::cta_limits() const {
  std::vector<int> limits;
  for (const auto& each : communicators_) {
    if (each->spec().max_ctas > 0) limits.push_back(each->spec().max_ctas);
  }
  return limits;
}

nccl::Communicator& NcclPeer::communicator(int ctas) const {
  for (const auto& each : communicators_) {
    if (each->spec().max_ctas == ctas) return *each;
  }
  throw InputError(fmt::format("{}: {} thread blocks is not a limit that it was set up with",
                               facts_.name, ctas));
}

void NcclPeer::attach(const PeerBuffers& buffers) { buffers_ = buffers; }

void NcclPeer::detach() {
  buffers_ = {};
  for (const auto& each : communicators_) each->check_async();
}

void NcclPeer::prepare(const plan::Request& request) {
  for (const auto& each : communicators_) {
    each->enqueue_first(request, buffers(), setting_.site.stream);
    setting_.ranks->synchronize();
  }
}

std::unique_ptr<backend::Task> NcclPeer::make_collective(const plan::Request& request, int ctas) {
  return backend::cuda::make_stream_task(
      [&comm = communicator(ctas), request, places = buffers()](void* stream) {
        comm.enqueue(request, places, stream);
      });
}

void NcclPeer::give_up() noexcept {
  for (const auto& each : communicators_) each->give_up();
  communicators_.clear();
}

void NcclPeer::or_give_up(const std::function<void()>& set_up) {
  try {
    set_up();
  } catch (...) {
    give_up();
    throw;
  }
}

NcclKernels::NcclKernels(NcclSetting setting) : NcclPeer(std::move(setting), "nccl") {
  or_give_up([this] {
    add_communicator(0, nccl::kPolicyDefault);
    for (const int limit : c3::kVendorBlocks) add_communicator(limit, nccl::kPolicyDefault);
  });
  add_note("kernels on buffers that are not registered; limits on thread blocks by maxCTAs");
}

NcclCopies::NcclCopies(NcclSetting setting) : NcclPeer(std::move(setting), "nccl_ce") {
  or_give_up([this] {
    add_communicator(0, nccl::kPolicyZero);
    try_out();
  });
  add_note("symmetric windows over the study's own buffers, policy of no thread blocks");
}

void NcclCopies::attach(const PeerBuffers& buffers) {
  NcclPeer::attach(buffers);
  const auto add = [this](void* data, Bytes bytes) {
    if (bytes == 0) return;
    windows_.push_back(communicator(0).register_window(data, bytes));
    if (windows_.back() == nullptr) {
      throw Unavailable("NCCL has no symmetric memory between these GPUs");
    }
  };
  add(buffers.send, buffers.send_bytes);
  add(buffers.recv, buffers.recv_bytes);
}

void NcclCopies::detach() {
  for (const auto& window : windows_) {
    if (window != nullptr) communicator(0).deregister(window);
  }
  windows_.clear();
  NcclPeer::detach();
}

void NcclCopies::give_up() noexcept {
  windows_.clear();
  NcclPeer::give_up();
}

void NcclCopies::try_out() {
  Ranks& ranks = *setting().ranks;
  const int size = ranks.size();
  const plan::Request gather{plan::Collective::all_gather, size, kTrialBlock,
                             plan::Placement::in_place};
  const plan::Request exchange{plan::Collective::all_to_all, size, kTrialBlock,
                               plan::Placement::out_of_place};
  const Bytes bytes = plan::total_bytes(exchange);
  const auto send = ranks.device(0).allocate(bytes);
  const auto recv = ranks.device(0).allocate(bytes);
  attach({send.data(), bytes, recv.data(), bytes});
  for (const auto& request : {gather, exchange}) {
    prepare(request);
    look_at(request);
  }
  detach();
}

void NcclCopies::look_at(const plan::Request& request) {
  const auto recorded = record(
      setting().site, [&](void* stream) { communicator(0).enqueue(request, buffers(), stream); });
  const auto seen =
      fmt::format("{} enqueues {}", plan::name_of(request.collective), to_string(recorded));
  if (recorded.kernels > 0 || recorded.copies == 0) {
    throw Unavailable(
        fmt::format("NCCL {} does not use copy engines here: {}", facts().version, seen));
  }
  add_note(fmt::format("copy engines: {}, in a captured graph", seen));
}

}  // namespace conccl::bench
