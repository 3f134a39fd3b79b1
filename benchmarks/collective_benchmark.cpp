// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What a communicator adds to the copies: bandwidth of an all-gather against the same DMA threads
// copying the same chunks without flags, and the processor time of the calling thread to enqueue
// one.
//
// Both ways run in every round, in turn first, and every round's bytes are checked: wrong bytes end
// the program with exit code 1.

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <thread>
#include <vector>

#include "conccl/backend/registry.hpp"
#include "conccl/comm/communicator.hpp"
#include "conccl/core/errors.hpp"
#include "conccl/core/statistics.hpp"

namespace {

using conccl::Bytes;
using conccl::Nanoseconds;

constexpr int kRanks = 4;
constexpr int kRounds = 31;
constexpr int kWarmUp = 3;
constexpr int kCallsPerSample = 16;
constexpr std::chrono::seconds kPatience{60};

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

/// Four ranks with windows for one all-gather, and an executor each for the copies alone.
class Bench {
 public:
  explicit Bench(Bytes total);

  /// Runs the all-gather once, in nanoseconds from the common start to the end of the slowest rank.
  [[nodiscard]] double communicator();
  [[nodiscard]] double copies_alone();
  /// New inputs, poisoned outputs.
  void prepare();
  /// Throws CheckFailed unless the all-gather's bytes are there.
  void check();

  /// Enqueues one call of `rank`.
  void call(int rank, bool windowed);
  void synchronize();

 private:
  template <typename Enqueue>
  double timed(Enqueue enqueue);
  void run_tasks(std::vector<std::unique_ptr<conccl::backend::Task>> tasks);

  conccl::plan::Request request_;
  std::unique_ptr<conccl::backend::Backend> backend_;
  std::vector<std::unique_ptr<conccl::backend::Device>> devices_;
  std::vector<std::unique_ptr<conccl::backend::FlagBlock>> go_;
  std::vector<conccl::backend::Memory> send_;
  std::vector<conccl::backend::Memory> recv_;
  std::vector<conccl::backend::Memory> ordinary_;
  std::vector<conccl::backend::RankBuffers> buffers_;
  std::vector<conccl::plan::RankPlan> bare_;
  std::vector<Nanoseconds> ends_ = std::vector<Nanoseconds>(kRanks);
  std::vector<std::unique_ptr<conccl::backend::Executor>> executors_;
  std::vector<std::unique_ptr<conccl::backend::Queue>> streams_;
  std::vector<conccl::comm::Communicator> comms_;
  std::uint64_t runs_ = 0;
  std::uint64_t round_ = 0;
};

/// The lanes that the communicator runs, with every signal and wait taken out.
conccl::plan::RankPlan without_flags(conccl::plan::RankPlan plan) {
  for (auto& lane : plan.lanes) {
    std::erase_if(lane.steps, [](const auto& step) {
      return !std::holds_alternative<conccl::plan::Copy>(step);
    });
  }
  return plan;
}

Bench::Bench(Bytes total)
    : request_{conccl::plan::Collective::all_gather, kRanks, total / kRanks},
      backend_(conccl::backend::open("host")),
      devices_(conccl::comm::open_devices(*backend_, kRanks)) {
  conccl::plan::Method method;
  method.engines = backend_->capabilities().dma_engines;
  for (int rank = 0; rank < kRanks; ++rank) {
    auto& device = *devices_[at(rank)];
    go_.push_back(device.make_flags(1));
    send_.push_back(device.allocate(request_.block));
    recv_.push_back(device.allocate(total));
    ordinary_.push_back(device.allocate(request_.block));
    buffers_.push_back({send_.back().at(0), recv_.back().at(0), nullptr});
    bare_.push_back(without_flags(conccl::plan::build_rank(request_, method, rank)));
    executors_.push_back(std::make_unique<conccl::backend::Executor>(device));
    streams_.push_back(device.make_queue({"stream", conccl::plan::Engine::compute, {}, {}}));
  }
  conccl::comm::Options options;
  options.policy = conccl::comm::Policy::dma;
  comms_ = conccl::comm::Communicator::init_all(*backend_, devices_, options);
  conccl::comm::Group group;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    (void)comms_[rank].register_window(send_[rank].data(), send_[rank].bytes());
    (void)comms_[rank].register_window(recv_[rank].data(), recv_[rank].bytes());
  }
  group.end();
}

void Bench::call(int rank, bool windowed) {
  const auto& send = windowed ? send_[at(rank)] : ordinary_[at(rank)];
  comms_[at(rank)].all_gather(send.data(), recv_[at(rank)].data(), request_.block,
                              conccl::DataType::uint8, *streams_[at(rank)]);
}

void Bench::synchronize() {
  for (int rank = 0; rank < kRanks; ++rank) {
    if (!streams_[at(rank)]->synchronize(kPatience)) {
      throw conccl::RunError(fmt::format("rank {}: not done", rank));
    }
    if (const auto reason = comms_[at(rank)].async_error()) throw conccl::RunError(*reason);
  }
}

template <typename Enqueue>
double Bench::timed(Enqueue enqueue) {
  ++runs_;
  for (int rank = 0; rank < kRanks; ++rank) {
    auto& stream = *streams_[at(rank)];
    stream.wait({go_[at(rank)].get(), 0}, runs_);
    enqueue(rank, stream);
    stream.timestamp(ends_[at(rank)]);
    stream.submit();
  }
  const Nanoseconds start = devices_[0]->now();
  for (const auto& flags : go_) flags->raise(0, runs_);
  synchronize();
  return static_cast<double>((*std::max_element(ends_.begin(), ends_.end()) - start).count());
}

double Bench::communicator() {
  return timed([this](int rank, conccl::backend::Queue&) { call(rank, true); });
}

double Bench::copies_alone() {
  return timed([this](int rank, conccl::backend::Queue& stream) {
    conccl::backend::Bindings bindings;
    bindings.rank = rank;
    bindings.buffers = buffers_;
    executors_[at(rank)]->launch(bare_[at(rank)], bindings, stream);
  });
}

void Bench::run_tasks(std::vector<std::unique_ptr<conccl::backend::Task>> tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i) streams_[i % kRanks]->compute(*tasks[i], {});
  for (const auto& stream : streams_) stream->submit();
  synchronize();
}

void Bench::prepare() {
  ++round_;
  std::vector<std::unique_ptr<conccl::backend::Task>> tasks;
  for (const auto* inputs : {&send_, &ordinary_}) {
    for (int rank = 0; rank < kRanks; ++rank) {
      tasks.push_back(devices_[at(rank)]->make_fill((*inputs)[at(rank)].data(),
                                                    {{0, request_.block, {rank, round_}, 0}}));
    }
  }
  for (int rank = 0; rank < kRanks; ++rank) {
    auto& recv = recv_[at(rank)];
    tasks.push_back(devices_[at(rank)]->make_poison(recv.data(), recv.bytes()));
  }
  run_tasks(std::move(tasks));
}

void Bench::check() {
  std::vector<conccl::backend::Comparison> results(kRanks);
  std::vector<std::unique_ptr<conccl::backend::Task>> tasks;
  for (int rank = 0; rank < kRanks; ++rank) {
    std::vector<conccl::backend::Stretch> stretches;
    for (int from = 0; from < kRanks; ++from) {
      stretches.push_back({at(from) * request_.block, request_.block, {from, round_}, 0});
    }
    tasks.push_back(
        devices_[at(rank)]->make_compare(recv_[at(rank)].data(), stretches, results[at(rank)]));
  }
  run_tasks(std::move(tasks));
  for (int rank = 0; rank < kRanks; ++rank) {
    const auto& result = results[at(rank)];
    if (result.compared == recv_[at(rank)].bytes() && result.mismatches == 0) continue;
    throw conccl::CheckFailed(fmt::format("rank {}: {} of {} bytes wrong, the first at {}", rank,
                                          result.mismatches, result.compared, result.first_bad));
  }
}

void print(const char* what, const std::vector<double>& values, const char* unit) {
  const auto summary = conccl::summarize(values);
  fmt::print("  {:<44} {:9.3f} {:9.3f} {:9.3f} {}\n", what, summary.median, summary.min,
             summary.max, unit);
}

/// What `run` returns, once its bytes have been checked.
template <typename Run>
double checked(Bench& bench, Run run) {
  bench.prepare();
  const double result = run();
  bench.synchronize();
  bench.check();
  return result;
}

void bandwidth(Bytes total) {
  Bench bench(total);
  std::vector<double> with;
  std::vector<double> without;
  std::vector<double> ratio;
  for (int round = -kWarmUp; round < kRounds; ++round) {
    double times[2];
    for (const int turn : {0, 1}) {
      const int which = (turn + round + kWarmUp) % 2;
      times[which] =
          checked(bench, [&] { return which == 0 ? bench.communicator() : bench.copies_alone(); });
    }
    if (round < 0) continue;
    with.push_back(static_cast<double>(total) / times[0]);
    without.push_back(static_cast<double>(total) / times[1]);
    ratio.push_back(times[1] / times[0]);
  }
  const auto size = conccl::format_bytes(total);
  print(fmt::format("all-gather {}: communicator", size).c_str(), with, "GB/s");
  print(fmt::format("all-gather {}: copies alone", size).c_str(), without, "GB/s");
  print(fmt::format("all-gather {}: ratio per round", size).c_str(), ratio, "");
}

double thread_cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

/// One thread, every rank in turn: calls on windows never wait.
double window_sample(Bench& bench) {
  const double start = thread_cpu_us();
  for (int call = 0; call < kCallsPerSample; ++call) {
    for (int rank = 0; rank < kRanks; ++rank) bench.call(rank, true);
  }
  return (thread_cpu_us() - start) / (kCallsPerSample * kRanks);
}

/// One thread per rank: each call waits for the peers' posts.
double ordinary_sample(Bench& bench) {
  std::vector<double> spent(kRanks);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&bench, &spent, rank] {
      const double start = thread_cpu_us();
      for (int call = 0; call < kCallsPerSample; ++call) bench.call(rank, false);
      spent[at(rank)] = thread_cpu_us() - start;
    });
  }
  threads.clear();
  return conccl::mean(spent) / kCallsPerSample;
}

void enqueue_cost() {
  Bench bench(16 * conccl::kKiB);
  std::vector<double> window;
  std::vector<double> ordinary;
  for (int round = -kWarmUp; round < kRounds; ++round) {
    window.push_back(checked(bench, [&] { return window_sample(bench); }));
    ordinary.push_back(checked(bench, [&] { return ordinary_sample(bench); }));
    if (round >= 0) continue;
    window.clear();
    ordinary.clear();
  }
  print("enqueue one all-gather, window", window, "us of CPU");
  print("enqueue one all-gather, ordinary buffers", ordinary, "us of CPU");
}

}  // namespace

int main() {
  try {
    fmt::print("host emulation: shows function, not hardware; {} ranks, {} rounds\n", kRanks,
               kRounds);
    fmt::print("  {:<44} {:>9} {:>9} {:>9}\n", "", "median", "min", "max");
    for (const Bytes total : {conccl::kMiB, 16 * conccl::kMiB, 64 * conccl::kMiB}) {
      bandwidth(total);
    }
    enqueue_cost();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "collective_benchmark: {}\n", error.what());
    return 1;
  }
}
