// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/workload.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::bench {
namespace {

Bytes at_least_one(Bytes bytes) { return std::max<Bytes>(bytes, 1); }

}  // namespace

CollectiveRanks::CollectiveRanks(backend::Backend& backend, const CollectiveBenchOptions& options,
                                 Bytes largest_block, const std::atomic<bool>* interrupt)
    : options_(options),
      interrupt_(interrupt),
      devices_(comm::open_devices(backend, options.ranks)),
      round_(options.seed) {
  const plan::Request largest{options.collective, options.ranks, largest_block, {}};
  for (const auto& device : devices_) {
    send_.push_back(device->allocate(at_least_one(plan::send_bytes(largest))));
    recv_.push_back(device->allocate(at_least_one(plan::recv_bytes(largest))));
    streams_.push_back(device->make_queue({"stream", plan::Engine::compute, {}, {}}));
  }
  comm::Options comm_options;
  comm_options.name = "bench";
  comm_options.policy = options.policy;
  comm_options.direction = options.direction;
  comm_options.deadline = options.deadline;
  communicators_ = comm::Communicator::init_all(backend, devices_, comm_options);
  register_windows();
}

void CollectiveRanks::register_windows() {
  for (const auto* buffers : {&send_, &recv_}) {
    comm::Group group;
    for (std::size_t rank = 0; rank < buffers->size(); ++rank) {
      const auto& buffer = (*buffers)[rank];
      // The windows live as long as the communicators.
      static_cast<void>(communicators_[rank].register_window(buffer.data(), buffer.bytes()));
    }
    group.end();
  }
}

void CollectiveRanks::call(const plan::Request& request) {
  const std::uint64_t count = request.block / size_of(options_.type);
  comm::Group group;
  for (std::size_t rank = 0; rank < communicators_.size(); ++rank) {
    void* const recv = recv_[rank].data();
    const void* const send = request.placement == plan::Placement::in_place
                                 ? recv_[rank].at(rank * request.block)
                                 : send_[rank].data();
    if (request.collective == plan::Collective::all_gather) {
      communicators_[rank].all_gather(send, recv, count, options_.type, *streams_[rank]);
    } else {
      communicators_[rank].all_to_all(send, recv, count, options_.type, *streams_[rank]);
    }
  }
  group.end();
}

Nanoseconds CollectiveRanks::time(const plan::Request& request, int iterations) {
  if (iterations == 0) return {};
  try {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < iterations && !interrupted(); ++i) call(request);
    synchronize();
    // What was enqueued has run: an interrupted communicator is a healthy one.
    if (interrupted()) throw Interrupted("interrupted");
    return (std::chrono::steady_clock::now() - start) / iterations;
  } catch (const Interrupted&) {
    throw;
  } catch (...) {
    drain();
    throw;
  }
}

bool CollectiveRanks::interrupted() const { return interrupt_ != nullptr && interrupt_->load(); }

void CollectiveRanks::run_task(std::size_t rank, std::unique_ptr<backend::Task> task,
                               std::vector<std::unique_ptr<backend::Task>>& tasks) {
  tasks.push_back(std::move(task));
  streams_[rank]->compute(*tasks.back(), {static_cast<int>(rank), 0});
}

void CollectiveRanks::enqueue_check(const plan::Request& request,
                                    std::vector<backend::Comparison>& results,
                                    std::vector<std::unique_ptr<backend::Task>>& tasks) {
  const bool in_place = request.placement == plan::Placement::in_place;
  for (std::size_t rank = 0; rank < devices_.size(); ++rank) {
    const backend::Pattern pattern{static_cast<int>(rank), round_};
    auto& device = *devices_[rank];
    void* const recv = recv_[rank].data();
    run_task(rank, device.make_poison(recv, plan::recv_bytes(request)), tasks);
    run_task(
        rank,
        device.make_fill(in_place ? recv : send_[rank].data(), {input_stretch(request, pattern)}),
        tasks);
    streams_[rank]->submit();
  }
  call(request);
  for (std::size_t rank = 0; rank < devices_.size(); ++rank) {
    const backend::Pattern pattern{static_cast<int>(rank), round_};
    run_task(rank,
             devices_[rank]->make_compare(recv_[rank].data(), expected_stretches(request, pattern),
                                          results[rank]),
             tasks);
    streams_[rank]->submit();
  }
}

std::vector<backend::Comparison> CollectiveRanks::check(const plan::Request& request) {
  ++round_;
  std::vector<backend::Comparison> results(devices_.size());
  std::vector<std::unique_ptr<backend::Task>> tasks;
  try {
    enqueue_check(request, results, tasks);
    synchronize();
  } catch (...) {
    drain();
    throw;
  }
  for (const auto& result : results) {
    ensure_equal(result.compared, plan::recv_bytes(request), "bytes compared");
  }
  return results;
}

void CollectiveRanks::synchronize() {
  for (std::size_t rank = 0; rank < streams_.size(); ++rank) {
    const bool done = streams_[rank]->synchronize(options_.deadline);
    if (const auto reason = communicators_[rank].async_error()) throw RunError(*reason);
    if (!done) {
      throw RunError(fmt::format("rank {}: not done after {} ms", rank, options_.deadline.count()));
    }
  }
}

void CollectiveRanks::drain() noexcept {
  communicators_[0].abort();
  for (const auto& stream : streams_) {
    try {
      static_cast<void>(stream->synchronize(options_.deadline));
    } catch (const std::exception& error) {
      // The first error is on its way up already.
      log(LogLevel::debug, error.what());
    }
  }
}

}  // namespace conccl::bench
