// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_ranks.hpp"

#include <algorithm>

#include "bench/workload.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

Bytes at_least_one(Bytes bytes) { return std::max<Bytes>(bytes, 1); }

comm::Options options_of(const CollectiveBenchOptions& options) {
  comm::Options result;
  result.name = "bench";
  result.policy = options.policy;
  result.direction = options.direction;
  result.deadline = options.deadline;
  return result;
}

}  // namespace

CollectiveRanks::CollectiveRanks(backend::Backend& backend, const CollectiveBenchOptions& options,
                                 Bytes largest_block, const std::atomic<bool>* interrupt)
    : options_(options),
      interrupt_(interrupt),
      ranks_(backend, options.ranks, options_of(options)),
      round_(options.seed) {
  const plan::Request largest{options.collective, options.ranks, largest_block, {}};
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    auto& device = ranks_.device(rank);
    send_.push_back(device.allocate(at_least_one(plan::send_bytes(largest))));
    recv_.push_back(device.allocate(at_least_one(plan::recv_bytes(largest))));
  }
  // The windows live as long as the communicators.
  ranks_.register_windows(send_);
  ranks_.register_windows(recv_);
}

void CollectiveRanks::call(const plan::Request& request) {
  const std::uint64_t count = request.block / size_of(options_.type);
  comm::Group group;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    void* const recv = recv_[rank].data();
    const void* const send = request.placement == plan::Placement::in_place
                                 ? recv_[rank].at(rank * request.block)
                                 : send_[rank].data();
    if (request.collective == plan::Collective::all_gather) {
      ranks_.communicator(rank).all_gather(send, recv, count, options_.type, ranks_.stream(rank));
    } else {
      ranks_.communicator(rank).all_to_all(send, recv, count, options_.type, ranks_.stream(rank));
    }
  }
  group.end();
}

Nanoseconds CollectiveRanks::time(const plan::Request& request, int iterations) {
  if (iterations == 0) return {};
  try {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < iterations && !interrupted(); ++i) call(request);
    ranks_.synchronize();
    // What was enqueued has run: an interrupted communicator is a healthy one.
    if (interrupted()) throw Interrupted("interrupted");
    return (std::chrono::steady_clock::now() - start) / iterations;
  } catch (const Interrupted&) {
    throw;
  } catch (...) {
    ranks_.drain();
    throw;
  }
}

bool CollectiveRanks::interrupted() const { return interrupt_ != nullptr && interrupt_->load(); }

void CollectiveRanks::run_task(std::size_t rank, std::unique_ptr<backend::Task> task,
                               std::vector<std::unique_ptr<backend::Task>>& tasks) {
  tasks.push_back(std::move(task));
  ranks_.stream(rank).compute(*tasks.back(), {static_cast<int>(rank), 0});
}

void CollectiveRanks::enqueue_check(const plan::Request& request,
                                    std::vector<backend::Comparison>& results,
                                    std::vector<std::unique_ptr<backend::Task>>& tasks) {
  const bool in_place = request.placement == plan::Placement::in_place;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const backend::Pattern pattern{static_cast<int>(rank), round_};
    auto& device = ranks_.device(rank);
    void* const recv = recv_[rank].data();
    run_task(rank, device.make_poison(recv, plan::recv_bytes(request)), tasks);
    run_task(
        rank,
        device.make_fill(in_place ? recv : send_[rank].data(), {input_stretch(request, pattern)}),
        tasks);
    ranks_.stream(rank).submit();
  }
  call(request);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const backend::Pattern pattern{static_cast<int>(rank), round_};
    run_task(rank,
             ranks_.device(rank).make_compare(recv_[rank].data(),
                                              expected_stretches(request, pattern), results[rank]),
             tasks);
    ranks_.stream(rank).submit();
  }
}

std::vector<backend::Comparison> CollectiveRanks::check(const plan::Request& request) {
  ++round_;
  std::vector<backend::Comparison> results(ranks_.size());
  std::vector<std::unique_ptr<backend::Task>> tasks;
  try {
    enqueue_check(request, results, tasks);
    ranks_.synchronize();
  } catch (...) {
    ranks_.drain();
    throw;
  }
  for (const auto& result : results) {
    ensure_equal(result.compared, plan::recv_bytes(request), "bytes compared");
  }
  return results;
}

}  // namespace conccl::bench
