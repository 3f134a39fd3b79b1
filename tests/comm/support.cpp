// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/comm/support.hpp"

#include <cstring>
#include <future>
#include <mutex>
#include <thread>

#include "conccl/core/errors.hpp"

namespace conccl::test {
namespace {

constexpr Bytes kGuardBytes = 64;
constexpr std::byte kGuard{0xA5};
constexpr std::byte kPoison{0xDB};

std::vector<std::byte> random_bytes(Bytes bytes, const backend::Pattern& pattern) {
  std::vector<std::byte> data(bytes);
  for (Bytes at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = backend::pattern_word(pattern, at / sizeof(std::uint64_t));
    std::memcpy(data.data() + at, &word, std::min<Bytes>(sizeof word, bytes - at));
  }
  return data;
}

/// A block of `bytes` between two guards, `skew` bytes off the alignment of its allocation.
backend::Memory guarded(backend::Device& device, Bytes bytes, Bytes skew) {
  backend::Memory memory = device.allocate(bytes + skew + 2 * kGuardBytes);
  std::memset(memory.data(), static_cast<int>(kGuard), memory.bytes());
  std::memset(memory.at(kGuardBytes + skew), static_cast<int>(kPoison), bytes);
  return memory;
}

testing::AssertionResult same(const std::byte* found, const std::vector<std::byte>& expected,
                              const std::string& what) {
  if (expected.empty() || std::memcmp(found, expected.data(), expected.size()) == 0) {
    return testing::AssertionSuccess();
  }
  std::size_t at = 0;
  while (found[at] == expected[at]) ++at;
  return testing::AssertionFailure()
         << what << " differs first at byte " << at << " of " << expected.size() << ": found "
         << std::to_integer<int>(found[at]) << ", expected " << std::to_integer<int>(expected[at]);
}

testing::AssertionResult guards_whole(const backend::Memory& memory, Bytes bytes, Bytes skew) {
  for (Bytes at = 0; at < memory.bytes(); ++at) {
    const bool inside = at >= kGuardBytes + skew && at < kGuardBytes + skew + bytes;
    if (inside) at += bytes - 1;
    if (!inside && *memory.at(at) != kGuard) {
      return testing::AssertionFailure() << "byte " << at << " outside the buffer was written";
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace

bool ranks_join_one_by_one() { return CONCCL_RANKS_JOIN_ONE_BY_ONE; }

World::World(int ranks, const comm::Options& options)
    : backend(backend::open(CONCCL_TEST_BACKEND)) {
  devices = comm::open_devices(*backend, ranks);
  for (int rank = 0; rank < ranks; ++rank) streams.push_back(more_stream(rank));
  comms = more_communicators(options);
}

comm::Options World::patient() { return with_deadline(kPatience); }

comm::Options World::with_deadline(std::chrono::milliseconds deadline) {
  comm::Options options;
  options.deadline = deadline;
  return options;
}

std::vector<comm::Communicator> World::more_communicators(const comm::Options& options) {
  if (!ranks_join_one_by_one()) {
    return comm::Communicator::init_all(*backend, devices, options);
  }
  const auto id = comm::make_unique_id();
  std::vector<std::future<comm::Communicator>> joining;
  for (int rank = 0; rank < ranks(); ++rank) {
    joining.push_back(std::async(std::launch::async, [&, rank] {
      return comm::Communicator::init_rank(*backend, device(rank), id, {rank, ranks()}, options);
    }));
  }
  std::vector<comm::Communicator> joined;
  for (auto& rank : joining) joined.push_back(rank.get());
  return joined;
}

std::unique_ptr<backend::Queue> World::more_stream(int rank) {
  return device(rank).make_queue({"stream", plan::Engine::compute, {}, {}});
}

void World::synchronize() {
  for (auto& stream : streams) ASSERT_TRUE(stream->synchronize(kPatience));
}

Outcomes on_each_rank(int ranks, const std::function<void(int)>& call) {
  Outcomes outcomes(static_cast<std::size_t>(ranks));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&outcomes, &call, rank] {
      try {
        call(rank);
      } catch (const RunError& error) {
        outcomes[World::at(rank)] = error.what();
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
    });
  }
  threads.clear();
  return outcomes;
}

Exchange::Exchange(World& world, std::vector<comm::Communicator>& comms, const Trial& trial,
                   std::uint64_t seed)
    : world_(world),
      comms_(comms),
      trial_(trial),
      request_{trial.collective, world.ranks(), trial.count * size_of(trial.type),
               trial.placement} {
  const bool gather = trial.collective == plan::Collective::all_gather;
  const Bytes contributed = gather ? request_.block : plan::send_bytes(request_);
  for (int rank = 0; rank < world.ranks(); ++rank) {
    send_.push_back(guarded(world.device(rank), plan::send_bytes(request_), trial.skew));
    recv_.push_back(guarded(world.device(rank), plan::recv_bytes(request_), trial.skew));
    sent_.push_back(random_bytes(contributed, {rank, seed}));
    if (contributed > 0) std::memcpy(send(rank), sent_.back().data(), contributed);
  }
  if (trial.windowed && plan::recv_bytes(request_) > 0) register_windows();
}

void Exchange::register_windows() {
  comm::Group group;
  for (int rank = 0; rank < world_.ranks(); ++rank) {
    auto& comm = comms_[World::at(rank)];
    for (const auto* memory : {&send_[World::at(rank)], &recv_[World::at(rank)]}) {
      static_cast<void>(comm.register_window(memory->data(), memory->bytes()));
    }
  }
  group.end();
}

std::byte* Exchange::send(int rank) {
  if (trial_.placement == plan::Placement::in_place) {
    return recv(rank) + static_cast<Bytes>(rank) * request_.block;
  }
  return send_[World::at(rank)].at(kGuardBytes + trial_.skew);
}

std::byte* Exchange::recv(int rank) { return recv_[World::at(rank)].at(kGuardBytes + trial_.skew); }

void Exchange::call(int rank, backend::Queue& stream) {
  auto& comm = comms_[World::at(rank)];
  if (trial_.collective == plan::Collective::all_gather) {
    comm.all_gather(send(rank), recv(rank), trial_.count, trial_.type, stream);
  } else {
    comm.all_to_all(send(rank), recv(rank), trial_.count, trial_.type, stream);
  }
}

void Exchange::call_all() {
  comm::Group group;
  for (int rank = 0; rank < world_.ranks(); ++rank) call(rank);
  group.end();
}

std::vector<std::byte> Exchange::expected(int rank) const {
  const auto block = static_cast<std::ptrdiff_t>(request_.block);
  const bool gather = trial_.collective == plan::Collective::all_gather;
  std::vector<std::byte> bytes;
  bytes.reserve(plan::recv_bytes(request_));
  for (const auto& sent : sent_) {
    const auto from = sent.begin() + (gather ? 0 : rank * block);
    bytes.insert(bytes.end(), from, from + block);
  }
  return bytes;
}

testing::AssertionResult Exchange::rank_right(int rank) const {
  const auto name = [rank](const char* what) {
    return std::string(what) + " of rank " + std::to_string(rank);
  };
  const auto& send = send_[World::at(rank)];
  const auto& recv = recv_[World::at(rank)];
  const Bytes at = kGuardBytes + trial_.skew;
  if (auto result = same(recv.at(at), expected(rank), name("recv")); !result) return result;
  if (trial_.placement == plan::Placement::out_of_place) {
    auto result = same(send.at(at), sent_[World::at(rank)], name("send"));
    if (!result) return result;
  }
  if (auto whole = guards_whole(send, plan::send_bytes(request_), trial_.skew); !whole) {
    return whole << ", " << name("send");
  }
  if (auto whole = guards_whole(recv, plan::recv_bytes(request_), trial_.skew); !whole) {
    return whole << ", " << name("recv");
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult Exchange::right() const {
  for (int rank = 0; rank < world_.ranks(); ++rank) {
    if (auto result = rank_right(rank); !result) return result;
  }
  return testing::AssertionSuccess();
}

}  // namespace conccl::test
