// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/comm/communicator.hpp"

#include <fmt/format.h>

#include "comm/group.hpp"
#include "comm/state.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

void enqueue(Communicator::State& state, PreparedCall call, backend::Queue& stream) {
  call.stream = &stream;
  const auto shared = std::make_shared<PreparedCall>(call);
  run_or_collect(
      {[&state, shared] { state.post(*shared); }, [&state, shared] { state.launch(*shared); }});
}

}  // namespace

Policy parse_policy(std::string_view name) {
  if (name == "auto") return Policy::automatic;
  if (name == "dma") return Policy::dma;
  if (name == "compute") return Policy::compute;
  throw InputError(fmt::format("policy: '{}' is not one of auto, dma, compute", name));
}

std::vector<Communicator> Communicator::init_all(
    const backend::Backend& backend, std::span<const std::unique_ptr<backend::Device>> devices,
    const Options& options) {
  if (devices.empty() || devices.size() > static_cast<std::size_t>(plan::kMaxRanks)) {
    throw InputError(fmt::format("ranks: {} is not in 1 .. {}", devices.size(), plan::kMaxRanks));
  }
  if (options.deadline.count() <= 0) {
    throw InputError(fmt::format("deadline: {} ms is not positive", options.deadline.count()));
  }
  const auto session = std::make_shared<Session>(devices, options);
  std::vector<Communicator> communicators;
  communicators.reserve(devices.size());
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    communicators.push_back(Communicator(std::make_unique<State>(
        session, static_cast<int>(rank), *devices[rank], backend.capabilities().dma_engines)));
  }
  return communicators;
}

Communicator::Communicator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

int Communicator::rank() const { return state_->rank(); }
int Communicator::ranks() const { return state_->session().ranks(); }
backend::Device& Communicator::device() const { return state_->device(); }
const Options& Communicator::options() const { return state_->session().options(); }
Statistics Communicator::statistics() const { return state_->statistics(); }

void Communicator::all_gather(const void* send, void* recv, std::uint64_t count, DataType type,
                              backend::Queue& stream) {
  enqueue(*state_, state_->prepare(plan::Collective::all_gather, send, recv, count, type), stream);
}

void Communicator::all_to_all(const void* send, void* recv, std::uint64_t count, DataType type,
                              backend::Queue& stream) {
  enqueue(*state_, state_->prepare(plan::Collective::all_to_all, send, recv, count, type), stream);
}

void Communicator::run(const PlanCall& call, backend::Queue& stream) {
  enqueue(*state_, state_->prepare(call), stream);
}

Window Communicator::register_window(void* data, Bytes bytes) {
  state_->check_window(data, bytes);
  State* state = state_.get();
  const int id = state->reserve_window();
  run_or_collect({[state, id, data, bytes] { state->add_window(id, data, bytes); },
                  [state, id] { state->finish_window(id); }});
  return Window{id};
}

void Communicator::deregister(Window window) { state_->drop_window(window.id); }

void Communicator::abort() {
  state_->session().poison(fmt::format("aborted by rank {}", state_->rank()));
}

std::optional<std::string> Communicator::async_error() const {
  return state_->session().poison_reason();
}

std::vector<std::unique_ptr<backend::Device>> open_devices(backend::Backend& backend, int ranks) {
  const int most = backend.capabilities().max_devices;
  if (ranks < 1 || ranks > most) {
    throw InputError(fmt::format("ranks: {} is not in 1 .. {}, which is what backend {} can serve",
                                 ranks, most, backend.capabilities().backend));
  }
  std::vector<std::unique_ptr<backend::Device>> devices;
  devices.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) devices.push_back(backend.open_device(rank));
  return devices;
}

}  // namespace conccl::comm
