// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/comm/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "comm/group.hpp"
#include "comm/join.hpp"
#include "comm/state.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::comm {
namespace {

/// A collective or a plan.
class StreamCall final : public GroupedCall {
 public:
  StreamCall(Communicator::State& state, const PreparedCall& call) : state_(state), call_(call) {}

  [[nodiscard]] const void* communicator() const override { return &state_; }
  void check() override { state_.check(call_); }
  void post() override { state_.post(call_); }
  void finish() override { state_.launch(call_); }
  void abandon(const std::string& why) override { state_.fail_call(call_.sequence, why); }

 private:
  Communicator::State& state_;
  PreparedCall call_;
};

class Registration final : public GroupedCall {
 public:
  Registration(Communicator::State& state, int id, void* data, Bytes bytes)
      : state_(state), id_(id), data_(data), bytes_(bytes) {}

  [[nodiscard]] const void* communicator() const override { return &state_; }
  void check() override { state_.check_window(data_, bytes_); }
  void post() override { state_.add_window(id_, data_, bytes_); }
  void finish() override { state_.finish_window(id_); }
  void abandon(const std::string& why) override { state_.fail_registration(id_, why); }

 private:
  Communicator::State& state_;
  int id_;
  void* data_;
  Bytes bytes_;
};

void enqueue(Communicator::State& state, PreparedCall call, backend::Queue& stream) {
  call.stream = &stream;
  run_or_collect(StreamCall(state, call));
}

}  // namespace

Policy parse_policy(std::string_view name) {
  if (name == "auto") return Policy::automatic;
  if (name == "dma") return Policy::dma;
  if (name == "compute") return Policy::compute;
  throw InputError(fmt::format("policy: '{}' is not one of auto, dma, compute", name));
}

namespace {

std::string_view name_of(Policy policy) {
  switch (policy) {
    case Policy::automatic:
      return "auto";
    case Policy::dma:
      return "dma";
    case Policy::compute:
      return "compute";
  }
  return "unknown";
}

/// With a deadline that can be added to any time.
Options checked(Options options) {
  constexpr std::chrono::hours kLongest{24 * 365};
  if (options.deadline.count() <= 0) {
    throw InputError(fmt::format("deadline: {} ms is not positive", options.deadline.count()));
  }
  options.deadline = std::min<std::chrono::milliseconds>(options.deadline, kLongest);
  return options;
}

/// What plans are made from, and so must be equal on all ranks.
std::string common_options(const Options& options, const Machine* machine) {
  return fmt::format("direction={} policy={} machine={}",
                     options.direction == plan::Direction::push ? "push" : "pull",
                     name_of(options.policy), digest_of(machine));
}

}  // namespace

std::vector<Communicator> Communicator::init_all(
    const backend::Backend& backend, std::span<const std::unique_ptr<backend::Device>> devices,
    const Options& options) {
  if (devices.empty() || devices.size() > static_cast<std::size_t>(plan::kMaxRanks)) {
    throw InputError(fmt::format("ranks: {} is not in 1 .. {}", devices.size(), plan::kMaxRanks));
  }
  const Options bounded = checked(options);
  const auto& able = backend.capabilities();
  const auto machine = machine_for(bounded.machine, able.backend, static_cast<int>(devices.size()));
  const auto session = std::make_shared<Session>(parts_in_process(devices), bounded);
  std::vector<Communicator> communicators;
  communicators.reserve(devices.size());
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    communicators.push_back(Communicator(std::make_unique<State>(
        session, static_cast<int>(rank), *devices[rank], backend::dma_method(able), machine)));
  }
  return communicators;
}

Communicator Communicator::init_rank(const backend::Backend& backend, backend::Device& device,
                                     const UniqueId& id, const RankOf& place,
                                     const Options& options) {
  const Options bounded = checked(options);
  const auto& able = backend.capabilities();
  const auto machine = machine_for(bounded.machine, able.backend, place.ranks);
  auto membership = join(id, {place, common_options(bounded, machine.get()), bounded.deadline});
  auto parts = parts_between_processes(std::move(membership), place.rank, device, bounded.deadline);
  const auto session = std::make_shared<Session>(std::move(parts), bounded);
  try {
    return Communicator(
        std::make_unique<State>(session, place.rank, device, backend::dma_method(able), machine));
  } catch (const Error& error) {
    session->fail(fmt::format("rank {}: {}", place.rank, error.what()));
    throw;
  }
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

void Communicator::concurrent_compute(const std::optional<GemmSpec>& gemm) { state_->tell(gemm); }

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
  const int id = state_->reserve_window();
  run_or_collect(Registration(*state_, id, data, bytes));
  return Window{id};
}

void Communicator::deregister(Window window) { state_->drop_window(window.id); }

void* Communicator::address(Window window, int rank) const {
  return state_->base_of(window.id, rank);
}

std::vector<std::vector<std::byte>> Communicator::exchange(std::span<const std::byte> mine) {
  if (mine.size() > kMaxExchange) {
    throw InputError(fmt::format("exchange: {} bytes, at most {}", mine.size(), kMaxExchange));
  }
  std::vector<std::vector<std::byte>> all;
  for (const auto& post : state_->exchange(host_post(Operation::exchange, mine))) {
    const auto bytes = std::min<std::size_t>(post.bytes, post.data.size());
    all.emplace_back(post.data.begin(), post.data.begin() + static_cast<std::ptrdiff_t>(bytes));
  }
  return all;
}

std::vector<backend::FlagBlock*> Communicator::shared_flags(int count) {
  return state_->shared_flags(count);
}

void Communicator::abort(std::string_view why) {
  state_->session().fail(
      fmt::format("aborted by rank {}{}{}", state_->rank(), why.empty() ? "" : ": ", why));
}

std::optional<std::string> Communicator::async_error() const {
  return state_->session().failure().reason();
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
