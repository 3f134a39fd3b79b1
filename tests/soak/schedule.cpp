// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/soak/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace conccl::soak {
namespace {

constexpr std::size_t kMostCommunicators = 5;
constexpr std::size_t kMostBuffers = 12;
constexpr int kLargestGroup = 5;
constexpr std::uint64_t kSkews = 64;

const std::vector<DataType>& types() {
  static const std::vector<DataType> all{DataType::int8,    DataType::uint8,   DataType::int32,
                                         DataType::uint32,  DataType::int64,   DataType::uint64,
                                         DataType::float16, DataType::float32, DataType::float64,
                                         DataType::bfloat16};
  return all;
}

template <typename Value>
std::vector<int> keys_of(const std::map<int, Value>& values) {
  std::vector<int> keys;
  for (const auto& entry : values) keys.push_back(entry.first);
  return keys;
}

}  // namespace

Schedule::Schedule(const ScheduleSpec& spec) : spec_(spec), random_({spec.seed, spec.epoch}) {
  CommunicatorSpec everyone;
  everyone.members.resize(static_cast<std::size_t>(spec.ranks));
  std::iota(everyone.members.begin(), everyone.members.end(), 0);
  communicators_[kEveryone] = everyone;
}

Action Schedule::next() {
  const int draw = random_.below(100);
  if (draw < 5 && communicators_.size() < kMostCommunicators) return create();
  if (draw >= 5 && draw < 8 && communicators_.size() > 1) {
    return destroy(draw_communicator());
  }
  if (buffers_.empty()) return allocate();
  if (draw >= 8 && draw < 18 && buffers_.size() < kMostBuffers) return allocate();
  if (draw >= 18 && draw < 24) return free();
  if (draw >= 24 && draw < 29) return exchange();
  if (draw >= 29 && draw < 42) return collect(2 + random_.below(kLargestGroup - 1));
  return collect(1);
}

std::vector<Action> Schedule::closing() {
  std::vector<Action> actions;
  while (communicators_.size() > 1) actions.push_back(destroy(draw_communicator()));
  while (!buffers_.empty()) actions.push_back(free());
  return actions;
}

int Schedule::draw_communicator() {
  auto numbers = keys_of(communicators_);
  std::erase(numbers, kEveryone);
  return random_.pick(numbers);
}

std::uint64_t Schedule::next_operation() {
  return spec_.epoch * kOperationsPerEpoch + ++last_operation_;
}

std::vector<int> Schedule::draw_members(Creation creation) {
  std::vector<int> members(static_cast<std::size_t>(spec_.ranks));
  std::iota(members.begin(), members.end(), 0);
  const int count = 1 + random_.below(spec_.ranks);
  if (creation == Creation::by_id) random_.shuffle(members);
  const int first = creation == Creation::by_id ? 0 : random_.below(spec_.ranks - count + 1);
  return {members.begin() + first, members.begin() + first + count};
}

Action Schedule::create() {
  CommunicatorSpec spec;
  spec.number = ++last_communicator_;
  spec.creation = random_.one_in(3) ? Creation::together : Creation::by_id;
  spec.members = draw_members(spec.creation);
  spec.direction = random_.one_in(2) ? plan::Direction::push : plan::Direction::pull;
  spec.policy = random_.one_in(3) ? comm::Policy::compute : comm::Policy::automatic;
  communicators_[spec.number] = spec;
  return Create{spec};
}

Action Schedule::destroy(int communicator) {
  communicators_.erase(communicator);
  std::erase_if(buffers_,
                [&](const auto& entry) { return entry.second.communicator == communicator; });
  return Destroy{communicator};
}

Action Schedule::allocate() {
  BufferSpec spec;
  spec.number = ++last_buffers_;
  spec.communicator = random_.pick(keys_of(communicators_));
  const auto ranks = communicators_.at(spec.communicator).members.size();
  const Bytes most = spec_.max_bytes / ranks;
  // Small blocks are many operations, large ones are many bytes: some of both.
  spec.block = random_.one_in(3) ? most : std::max<Bytes>(random_.magnitude(most), 8);
  spec.home = random_.one_in(2) ? Home::window : Home::ordinary;
  buffers_[spec.number] = spec;
  return Allocate{spec};
}

Action Schedule::free() {
  const int number = random_.pick(keys_of(buffers_));
  buffers_.erase(number);
  return Free{number};
}

CollectiveSpec Schedule::draw_call(const BufferSpec& buffers) {
  CollectiveSpec call;
  call.operation = next_operation();
  call.communicator = buffers.communicator;
  call.buffers = buffers.number;
  call.collective = random_.one_in(2) ? plan::Collective::all_gather : plan::Collective::all_to_all;
  if (call.collective == plan::Collective::all_gather && random_.one_in(3)) {
    call.placement = plan::Placement::in_place;
  }
  call.type = random_.one_in(3) ? DataType::uint8 : random_.pick(types());
  const std::uint64_t most = buffers.block / size_of(call.type);
  call.count = random_.one_in(3) ? random_.below(most + 1) : random_.magnitude(most);
  call.skew = random_.below(kSkews);
  return call;
}

Action Schedule::collect(int calls) {
  // The calls of a group are enqueued at its end, after the fills of all of them: no two may have
  // the same buffers.
  auto numbers = keys_of(buffers_);
  random_.shuffle(numbers);
  numbers.resize(std::min(numbers.size(), static_cast<std::size_t>(calls)));
  Collect action;
  for (const int number : numbers) action.calls.push_back(draw_call(buffers_.at(number)));
  return action;
}

Action Schedule::exchange() {
  return Exchange{next_operation(), random_.pick(keys_of(communicators_)),
                  static_cast<std::size_t>(random_.below(comm::Communicator::kMaxExchange + 1))};
}

}  // namespace conccl::soak
