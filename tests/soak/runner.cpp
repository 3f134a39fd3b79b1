// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/soak/runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "conccl/core/errors.hpp"

namespace conccl::soak {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kActionsPerEpoch = 150;
constexpr std::size_t kMostInFlight = 24;
constexpr std::uint64_t kSometimes = 6;

/// What member `rank` of `ranks` says in an exchange; sizes differ.
std::vector<std::byte> message_of(const Exchange& exchange, int rank) {
  std::vector<std::byte> bytes((exchange.bytes + static_cast<std::size_t>(rank)) %
                               (comm::Communicator::kMaxExchange + 1));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(backend::pattern_word({rank, exchange.operation}, i));
  }
  return bytes;
}

}  // namespace

Runner::Runner(World& world, const SoakOptions& options)
    : world_(world),
      options_(options),
      random_({options.seed, options.first_epoch, 1 + static_cast<std::uint64_t>(world.rank())}),
      delays_(world.device(), kStreams, Random({random_.next()})) {
  for (int i = 0; i < kStreams; ++i) {
    streams_.push_back(
        world.device().make_queue({fmt::format("stream {}", i), plan::Engine::compute, {}, {}}));
  }
}

Runner::~Runner() {
  // What is enqueued ends first: it uses everything else.
  streams_.clear();
}

void Runner::run_epoch(std::uint64_t epoch) {
  Schedule schedule({options_.seed, epoch, world_.ranks(), options_.max_bytes});
  Membership& everyone = memberships_[kEveryone];
  everyone.communicator = &world_.everyone();
  everyone.spec.members.clear();
  for (int rank = 0; rank < world_.ranks(); ++rank) everyone.spec.members.push_back(rank);
  const auto carry_out = [this](const Action& action) {
    delays_.pause_here();
    std::visit([this](const auto& what) { act(what); }, action);
    if (in_flight_.size() >= kMostInFlight || random_.one_in(kSometimes)) synchronize();
  };
  for (int i = 0; i < kActionsPerEpoch; ++i) carry_out(schedule.next());
  for (const auto& action : schedule.closing()) carry_out(action);
  synchronize();
}

void Runner::settle(std::uint64_t operation) {
  act(Allocate{{0, kEveryone, sizeof(std::uint64_t), Home::ordinary}});
  CollectiveSpec call;
  call.operation = operation;
  call.count = sizeof(std::uint64_t);
  act(Collect{{call}});
  synchronize();
  act(Free{0});
}

void Runner::abort(std::string_view why) noexcept {
  for (auto& [number, membership] : memberships_) {
    if (membership.communicator != nullptr) membership.communicator->abort(why);
  }
}

void Runner::act(const Create& action) {
  ++tally_.communicators;
  Membership& membership = memberships_[action.spec.number];
  membership.spec = action.spec;
  membership.own = world_.create(action.spec);
  if (membership.own) membership.communicator = &*membership.own;
}

void Runner::act(const Destroy& action) {
  // The communicator goes first, with what is enqueued and with its windows.
  memberships_.erase(action.communicator);
  std::erase_if(
      specs_, [&](const auto& entry) { return entry.second.communicator == action.communicator; });
  std::erase_if(buffers_, [&](const auto& entry) {
    return entry.second->spec.communicator == action.communicator;
  });
}

void Runner::act(const Allocate& action) {
  ++tally_.buffers;
  if (action.spec.home == Home::window) tally_.windows += 2;
  specs_[action.spec.number] = action.spec;
  Membership& membership = memberships_.at(action.spec.communicator);
  if (membership.communicator == nullptr) return;
  auto buffers = allocate(world_.device(), action.spec, membership.communicator->ranks());
  if (action.spec.home == Home::window) register_windows(*membership.communicator, *buffers);
  buffers_[action.spec.number] = std::move(buffers);
}

void Runner::register_windows(comm::Communicator& communicator, Buffers& buffers) {
  const auto register_one = [&](const backend::Memory& memory) {
    return communicator.register_window(memory.data(), memory.bytes());
  };
  if (buffers.spec.number % 2 == 0) {
    buffers.send_window = register_one(buffers.send);
    buffers.recv_window = register_one(buffers.recv);
    return;
  }
  comm::Group group;
  buffers.send_window = register_one(buffers.send);
  buffers.recv_window = register_one(buffers.recv);
  group.end();
}

void Runner::act(const Free& action) {
  const auto spec = specs_.extract(action.buffers).mapped();
  const auto node = buffers_.extract(action.buffers);
  if (node.empty() || spec.home == Home::ordinary) return;
  auto& communicator = *memberships_.at(spec.communicator).communicator;
  communicator.deregister(*node.mapped()->send_window);
  communicator.deregister(*node.mapped()->recv_window);
}

int Runner::stream_of(int buffers) const { return (buffers + world_.rank()) % kStreams; }

backend::Queue& Runner::stream(const CheckedCollective& collective) {
  return *streams_[static_cast<std::size_t>(stream_of(collective.spec().buffers))];
}

void Runner::act(const Collect& action) {
  count(action);
  std::vector<CheckedCollective*> collectives;
  for (const auto& spec : action.calls) begin(spec, collectives);
  const auto start = Clock::now();
  call(collectives);
  findings_.worst_call =
      std::max<std::chrono::nanoseconds>(findings_.worst_call, Clock::now() - start);
  for (CheckedCollective* collective : collectives) finish(*collective);
}

void Runner::begin(const CollectiveSpec& spec, std::vector<CheckedCollective*>& begun) {
  const Membership& membership = memberships_.at(spec.communicator);
  if (membership.communicator == nullptr) return;
  const Seat seat{&world_.device(), membership.spec, membership.communicator->rank()};
  in_flight_.push_back(std::make_unique<CheckedCollective>(seat, buffers_.at(spec.buffers), spec));
  CheckedCollective& collective = *in_flight_.back();
  collective.prepare(stream(collective));
  begun.push_back(&collective);
}

void Runner::call(const std::vector<CheckedCollective*>& collectives) {
  const auto make = [this](CheckedCollective& collective) {
    collective.call(*memberships_.at(collective.spec().communicator).communicator,
                    stream(collective));
  };
  for (const CheckedCollective* collective : collectives) {
    delays_.pause_stream(stream_of(collective->spec().buffers), stream(*collective));
    stream(*collective).submit();
  }
  if (collectives.size() == 1) return make(*collectives.front());
  comm::Group group;
  for (CheckedCollective* collective : collectives) make(*collective);
  group.end();
}

void Runner::finish(CheckedCollective& collective) {
  const auto& membership = memberships_.at(collective.spec().communicator);
  const bool last = membership.spec.members.back() == world_.rank();
  if (options_.spoil > 0 && !spoiled_ && last && collective.spec().operation >= options_.spoil) {
    spoiled_ = collective.spoil(stream(collective));
  }
  delays_.pause_stream(stream_of(collective.spec().buffers), stream(collective));
  collective.check(stream(collective));
}

void Runner::count(const Collect& action) {
  if (action.calls.size() > 1) tally_.grouped += action.calls.size();
  for (const auto& call : action.calls) {
    const auto& spec = memberships_.at(call.communicator).spec;
    const bool gather = call.collective == plan::Collective::all_gather;
    ++(gather ? tally_.all_gather : tally_.all_to_all);
    if (call.placement == plan::Placement::in_place) ++tally_.in_place;
    if (specs_.at(call.buffers).home == Home::window) ++tally_.windowed;
    if (spec.direction == plan::Direction::pull) ++tally_.pull;
    if (spec.policy == comm::Policy::compute) ++tally_.on_compute;
    if (call.count == 0) ++tally_.empty;
  }
}

void Runner::act(const Exchange& action) {
  ++tally_.exchanges;
  const Membership& membership = memberships_.at(action.communicator);
  if (membership.communicator == nullptr) return;
  const auto said =
      membership.communicator->exchange(message_of(action, membership.communicator->rank()));
  for (int rank = 0; rank < membership.communicator->ranks(); ++rank) {
    const auto expected = message_of(action, rank);
    findings_.checked_bytes += expected.size();
    if (said[static_cast<std::size_t>(rank)] == expected) continue;
    findings_.wrong_bytes += std::max<std::size_t>(expected.size(), 1);
    fmt::print(stderr,
               "soak: wrong exchange on rank {}: operation {}, what member {} of {} said; repeat "
               "with --seed {} --epoch {}\n",
               world_.rank(), action.operation, rank, fmt::join(membership.spec.members, ","),
               options_.seed, action.operation / kOperationsPerEpoch);
  }
}

void Runner::synchronize() {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i]->synchronize(2 * options_.deadline)) continue;
    require_no_failure();
    throw RunError(fmt::format("rank {}: stream {} did not end within {} s", world_.rank(), i,
                               2 * options_.deadline.count()));
  }
  require_no_failure();
  for (const auto& collective : in_flight_) judge(*collective);
  in_flight_.clear();
}

void Runner::require_no_failure() const {
  for (const auto& [number, membership] : memberships_) {
    if (membership.communicator == nullptr) continue;
    if (const auto reason = membership.communicator->async_error()) throw RunError(*reason);
  }
}

void Runner::judge(const CheckedCollective& collective) {
  const auto& spec = collective.spec();
  for (const auto& wrong : collective.wrong()) {
    findings_.wrong_bytes += wrong.count;
    fmt::print(stderr,
               "soak: wrong bytes on rank {}: operation {} ({}): {} {}byte {}: expected {:#04x}, "
               "found {:#04x}, {} wrong; repeat with --seed {} --epoch {}\n",
               world_.rank(), spec.operation, collective.description(), wrong.what,
               wrong.before_data ? "guard, distance " : "", wrong.offset, wrong.expected,
               wrong.found, wrong.count, options_.seed, spec.operation / kOperationsPerEpoch);
  }
  findings_.checked_bytes += collective.checked();
}

}  // namespace conccl::soak
