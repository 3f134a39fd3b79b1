// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/collective_bench_ranks.hpp"

#include <algorithm>

#include "bench/workload.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

Bytes at_least_one(Bytes bytes) { return std::max<Bytes>(bytes, 1); }

/// Between two looks at who wants to stop: long enough to cost nothing, since a look is a meeting.
constexpr int kCallsBetweenMeetings = 256;

}  // namespace

CollectiveRanks::CollectiveRanks(Ranks& ranks, const CollectiveBenchOptions& options,
                                 Bytes largest_block, const std::atomic<bool>* interrupt)
    : options_(options), interrupt_(interrupt), ranks_(ranks), round_(options.seed) {
  const plan::Request largest{options.collective, options.ranks, largest_block, {}};
  for (std::size_t local = 0; local < ranks_.local_count(); ++local) {
    auto& device = ranks_.device(local);
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
  for (std::size_t local = 0; local < ranks_.local_count(); ++local) {
    const auto rank = static_cast<Bytes>(ranks_.rank_of(local));
    void* const recv = recv_[local].data();
    const void* const send = request.placement == plan::Placement::in_place
                                 ? recv_[local].at(rank * request.block)
                                 : send_[local].data();
    auto& communicator = ranks_.communicator(local);
    if (request.collective == plan::Collective::all_gather) {
      communicator.all_gather(send, recv, count, options_.type, ranks_.stream(local));
    } else {
      communicator.all_to_all(send, recv, count, options_.type, ranks_.stream(local));
    }
  }
  group.end();
}

bool CollectiveRanks::interrupted() {
  const bool here = interrupt_ != nullptr && interrupt_->load();
  return ranks_.meet(here ? Ranks::Wish::stop : Ranks::Wish::go_on) == Ranks::Wish::stop;
}

Nanoseconds CollectiveRanks::time_local(const plan::Request& request, int iterations) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 1; i <= iterations; ++i) {
    call(request);
    if (i % kCallsBetweenMeetings == 0 && interrupted()) break;
  }
  ranks_.synchronize();
  return (std::chrono::steady_clock::now() - start) / iterations;
}

Nanoseconds CollectiveRanks::time(const plan::Request& request, int iterations) {
  if (iterations == 0) return {};
  std::vector<Nanoseconds> times;
  bool stop = false;
  try {
    stop = interrupted();
    if (!stop)
      times = ranks_.gather(std::vector(ranks_.local_count(), time_local(request, iterations)));
    stop = stop || interrupted();
  } catch (const std::exception& error) {
    ranks_.drain(error.what());
    throw;
  }
  // What was enqueued has run: an interrupted communicator is a healthy one.
  if (stop) throw Interrupted("interrupted");
  return *std::max_element(times.begin(), times.end());
}

void CollectiveRanks::run_task(std::size_t local, std::unique_ptr<backend::Task> task,
                               std::vector<std::unique_ptr<backend::Task>>& tasks) {
  tasks.push_back(std::move(task));
  ranks_.stream(local).compute(*tasks.back(), {ranks_.rank_of(local), 0});
}

void CollectiveRanks::enqueue_check(const plan::Request& request,
                                    std::vector<backend::Comparison>& results,
                                    std::vector<std::unique_ptr<backend::Task>>& tasks) {
  const bool in_place = request.placement == plan::Placement::in_place;
  for (std::size_t local = 0; local < ranks_.local_count(); ++local) {
    const backend::Pattern pattern{ranks_.rank_of(local), round_};
    auto& device = ranks_.device(local);
    void* const recv = recv_[local].data();
    run_task(local, device.make_poison(recv, plan::recv_bytes(request)), tasks);
    run_task(
        local,
        device.make_fill(in_place ? recv : send_[local].data(), {input_stretch(request, pattern)}),
        tasks);
    ranks_.stream(local).submit();
  }
  call(request);
  for (std::size_t local = 0; local < ranks_.local_count(); ++local) {
    const backend::Pattern pattern{ranks_.rank_of(local), round_};
    run_task(local,
             ranks_.device(local).make_compare(
                 recv_[local].data(), expected_stretches(request, pattern), results[local]),
             tasks);
    ranks_.stream(local).submit();
  }
}

std::vector<backend::Comparison> CollectiveRanks::check(const plan::Request& request) {
  ++round_;
  std::vector<backend::Comparison> local(ranks_.local_count());
  std::vector<std::unique_ptr<backend::Task>> tasks;
  std::vector<backend::Comparison> results;
  try {
    enqueue_check(request, local, tasks);
    ranks_.synchronize();
    results = ranks_.gather(local);
  } catch (const std::exception& error) {
    ranks_.drain(error.what());
    throw;
  }
  for (const auto& result : results) {
    ensure_equal(result.compared, plan::recv_bytes(request), "bytes compared");
  }
  return results;
}

}  // namespace conccl::bench
