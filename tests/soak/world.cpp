// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/soak/world.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "conccl/core/errors.hpp"

namespace conccl::soak {

std::optional<int> rank_among(const std::vector<int>& members, int world_rank) {
  const auto found = std::find(members.begin(), members.end(), world_rank);
  if (found == members.end()) return std::nullopt;
  return static_cast<int>(found - members.begin());
}

void SharedCommunicators::put(const CommunicatorSpec& spec,
                              std::vector<comm::Communicator> communicators) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < communicators.size(); ++i) {
    shared_.emplace(std::pair{spec.number, spec.members[i]}, std::move(communicators[i]));
  }
}

comm::Communicator SharedCommunicators::take(const CommunicatorSpec& spec, int world_rank) {
  const std::lock_guard lock(mutex_);
  auto node = shared_.extract({spec.number, world_rank});
  ensure(!node.empty(), "a communicator is there for this rank");
  return std::move(node.mapped());
}

ProcessContext::ProcessContext(int ranks)
    : backend(backend::open("host")), devices(comm::open_devices(*backend, ranks)) {}

World::World(ProcessContext& context, int rank, comm::Communicator everyone)
    : context_(&context),
      backend_(context.backend.get()),
      device_(context.devices[static_cast<std::size_t>(rank)].get()),
      everyone_(std::move(everyone)) {}

World::World(const SoakOptions& options) {
  const auto place = comm::place_from_environment();
  own_backend_ = backend::open("host");
  own_device_ = own_backend_->open_device(place.local_rank);
  backend_ = own_backend_.get();
  device_ = own_device_.get();
  everyone_ =
      comm::Communicator::init_rank(*backend_, *device_, comm::unique_id_from_environment(),
                                    {place.rank, place.ranks}, options_of({}, options.deadline));
}

comm::Options World::options_of(const CommunicatorSpec& spec, std::chrono::milliseconds deadline) {
  comm::Options options;
  options.name = "soak " + std::to_string(spec.number);
  options.policy = spec.policy;
  options.direction = spec.direction;
  options.deadline = deadline;
  return options;
}

bool World::together(const CommunicatorSpec& spec) const {
  return context_ != nullptr && spec.creation == Creation::together;
}

std::vector<std::byte> World::prepare(const CommunicatorSpec& spec, const comm::Options& options) {
  if (spec.members.front() != rank()) return {};
  if (together(spec)) {
    const auto devices =
        std::span(context_->devices)
            .subspan(static_cast<std::size_t>(spec.members.front()), spec.members.size());
    context_->communicators.put(spec, comm::Communicator::init_all(*backend_, devices, options));
    return {};
  }
  const auto id = comm::make_unique_id({{}, options.deadline});
  return {id.bytes.begin(), id.bytes.end()};
}

std::optional<comm::Communicator> World::create(const CommunicatorSpec& spec) {
  const auto options = options_of(spec, everyone_->options().deadline);
  const auto said = everyone_->exchange(prepare(spec, options));
  const auto own_rank = rank_among(spec.members, rank());
  if (!own_rank) return std::nullopt;
  if (together(spec)) return context_->communicators.take(spec, rank());
  comm::UniqueId id;
  const auto& bytes = said[static_cast<std::size_t>(spec.members.front())];
  ensure_equal(bytes.size(), id.bytes.size(), "bytes of a unique id");
  std::copy(bytes.begin(), bytes.end(), id.bytes.begin());
  return comm::Communicator::init_rank(*backend_, *device_, id,
                                       {*own_rank, static_cast<int>(spec.members.size())}, options);
}

}  // namespace conccl::soak
