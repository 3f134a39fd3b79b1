// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Commands that run for long: rounds of mixed collectives, communicators one after the other.

#include <fmt/format.h>

#include <array>
#include <iostream>

#include "conccl/core/errors.hpp"
#include "tests/faults/rank/commands.hpp"
#include "tests/faults/rank/facts.hpp"

namespace conccl::test {
namespace {

constexpr std::array<std::uint64_t, 6> kBlocks{0, 1, 7, 1000, 4096, 100'000};  // bytes
constexpr std::array kTypes{DataType::uint8, DataType::bfloat16, DataType::int32,
                            DataType::float64};
constexpr int kWarmUp = 30;
/// Long enough for threads that nobody joins, as the one of a meeting, and for the watchdogs.
constexpr std::chrono::milliseconds kSettling{1'000};

/// The same on every rank.
std::uint64_t random_number(std::uint64_t seed, std::uint64_t index) {
  return backend::pattern_word({0, seed}, index);
}

Call random_call(std::uint64_t random) {
  Call call;
  call.collective = random % 2 == 0 ? plan::Collective::all_gather : plan::Collective::all_to_all;
  call.type = kTypes[(random >> 8) % kTypes.size()];
  call.count = kBlocks[(random >> 16) % kBlocks.size()] / size_of(call.type);
  return call;
}

}  // namespace

/// Ordinary buffers, windows, memory that is new to the peers, and words on the host.
void Commands::mixed_round(std::uint64_t seed, std::uint64_t round) {
  const std::uint64_t random = random_number(seed, round);
  const Call call = random_call(random);
  switch ((random >> 24) % 8) {
    case 0: {
      const Buffers fresh(*device_, windowed_.send_memory.bytes());
      return make_checked(seat(), fresh, call, round);
    }
    case 1: {
      const auto all = comm().exchange(std::as_bytes(std::span(&round, 1)));
      ensure_equal(all.size(), static_cast<std::size_t>(comm().ranks()), "answers of exchange");
      return;
    }
    case 2:
    case 3:
    case 4:
      return make_checked(seat(), ordinary_, call, round);
    default:
      return make_checked(seat(), windowed_, call, round);
  }
}

std::string Commands::loop(Words& words) {
  std::uint64_t seed = 0;
  std::uint64_t count = 0;
  words >> seed >> count;
  for (std::uint64_t round = 0; round < count; ++round) {
    mixed_round(seed, round);
    if (round == 0) std::cout << "looping" << std::endl;
  }
  return {};
}

/// Made by an id that travels through the communicator of all, used once, and destroyed.
void Commands::child_communicator(std::uint64_t round) {
  comm::UniqueId mine;
  if (comm().rank() == 0) mine = comm::make_unique_id();
  const auto all = comm().exchange(mine.bytes);
  comm::UniqueId id;
  std::copy(all[0].begin(), all[0].end(), id.bytes.begin());
  auto child = comm::Communicator::init_rank(*backend_, *device_, id,
                                             {comm().rank(), comm().ranks()}, comm().options());
  make_checked({child, *stream_}, ordinary_, {plan::Collective::all_gather, 999, DataType::int32},
               round);
}

std::string Commands::many(Words& words) {
  int count = 0;
  words >> count;
  for (int i = 0; i < kWarmUp; ++i) child_communicator(static_cast<std::uint64_t>(i));
  const auto before = settled_process_facts(kSettling);
  for (int i = 0; i < count; ++i) child_communicator(static_cast<std::uint64_t>(i));
  return fmt::format("{} {}", text_of(before), text_of(settled_process_facts(kSettling)));
}

std::string Commands::many_local(Words& words) {
  int count = 0;
  int ranks = 0;
  words >> count >> ranks;
  auto devices = comm::open_devices(*backend_, ranks);
  std::vector<std::unique_ptr<backend::Queue>> streams;
  std::vector<Buffers> buffers;
  for (const auto& device : devices) {
    streams.push_back(device->make_queue({"stream", plan::Engine::compute, {}, {}}));
    buffers.emplace_back(*device, kMiB);
  }
  ProcessFacts before;
  for (int i = 0; i < kWarmUp + count; ++i) {
    if (i == kWarmUp) before = settled_process_facts(kSettling);
    auto comms = comm::Communicator::init_all(*backend_, devices);
    comm::Group group;
    for (std::size_t rank = 0; rank < comms.size(); ++rank) {
      test::enqueue({comms[rank], *streams[rank]}, buffers[rank],
                    {plan::Collective::all_to_all, 999, DataType::int32});
    }
    group.end();
    for (std::size_t rank = 0; rank < comms.size(); ++rank) {
      synchronize({comms[rank], *streams[rank]});
    }
  }
  return fmt::format("{} {}", text_of(before), text_of(settled_process_facts(kSettling)));
}

}  // namespace conccl::test
