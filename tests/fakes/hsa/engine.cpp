// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/engine.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/fakes/hsa/runtime.hpp"

namespace conccl::test::fake_hsa {
namespace {

using std::chrono::microseconds;

/// How often a thread that waits for what may never come looks whether it shall stop.
constexpr microseconds kLook{10'000};
/// How long an engine that overlaps copies waits for more of them.
constexpr microseconds kGather{1'000};

bool met(const Signal* signal) { return signal->load() == 0; }

void release_dependencies(Copy& copy) {
  for (auto* const signal : copy.dependencies) signal->release();
  copy.dependencies.clear();
}

}  // namespace

Engine::Engine(Runtime& runtime, const Agent& agent, int id)
    : runtime_(runtime),
      agent_(agent),
      id_(id),
      capacity_(static_cast<std::size_t>(settings().get(Setting::ring))),
      thread_([this] { run(); }) {}

void Engine::submit(Copy copy) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ring_.size() + running_ < capacity_ || stopped_; });
  pending_.fetch_add(1);
  submitted_.fetch_add(1);
  counters().running.fetch_add(1);
  ring_.push_back(std::move(copy));
  changed_.notify_all();
}

void Engine::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Engine::run() {
  while (wait_for_copy()) {
    if (settings().on(Setting::overlap)) {
      run_overlapped();
    } else {
      run_in_order();
    }
  }
}

bool Engine::pause(microseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return stopped_.load(); });
}

bool Engine::be_slow() {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const auto end = start + microseconds(settings().get(Setting::slow_copy_us));
    const auto left =
        std::chrono::duration_cast<microseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return !stopped_;
    if (!pause(std::min(left, kLook))) return false;
  }
}

bool Engine::wait_for_copy() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ring_.empty() || stopped_; });
  }
  while (settings().get(Setting::hang_engine) == id_ && id_ != kComputeCopies) {
    if (!pause(kLook)) return false;
  }
  return !stopped_;
}

Copy Engine::take_first() {
  const std::lock_guard lock(mutex_);
  Copy copy = std::move(ring_.front());
  ring_.pop_front();
  ++running_;
  return copy;
}

bool Engine::wait_for_dependencies(Copy& copy) {
  for (auto* const signal : copy.dependencies) {
    const auto next_look = [] { return std::chrono::steady_clock::now() + kLook; };
    while (signal->wait(HSA_SIGNAL_CONDITION_EQ, 0, next_look()) != 0) {
      if (stopped_) return false;
    }
  }
  release_dependencies(copy);
  return true;
}

void Engine::run_in_order() {
  Copy copy = take_first();
  if (!wait_for_dependencies(copy)) return;
  auto staged = stage(std::move(copy));
  if (!be_slow()) return;
  deliver(staged);
}

std::vector<Copy> Engine::take_ready() {
  const std::lock_guard lock(mutex_);
  std::vector<Copy> ready;
  for (auto at = ring_.begin(); at != ring_.end();) {
    if (std::all_of(at->dependencies.begin(), at->dependencies.end(), met)) {
      ready.push_back(std::move(*at));
      at = ring_.erase(at);
    } else {
      ++at;
    }
  }
  running_ += ready.size();
  return ready;
}

void Engine::run_overlapped() {
  if (!pause(kGather)) return;
  auto copies = take_ready();
  std::vector<Staged> staged;
  for (auto& copy : copies) {
    release_dependencies(copy);
    staged.push_back(stage(std::move(copy)));
  }
  if (!be_slow()) return;
  std::for_each(staged.rbegin(), staged.rend(), [this](Staged& one) { deliver(one); });
}

Engine::Staged Engine::stage(Copy copy) {
  Staged staged;
  staged.copy = std::move(copy);
  staged.ticks.start = ticks_now();
  const Copy& asked = staged.copy;
  const auto source = runtime_.memory.reach(agent_, asked.src, asked.bytes);
  staged.target = runtime_.memory.reach(agent_, asked.dst, asked.bytes);
  if (asked.fault == CopyFault::fails) {
    staged.outcome = Outcome::failed;
  } else if (asked.fault == CopyFault::raises_event) {
    fault(staged, asked.dst);
  } else if (source == nullptr || staged.target == nullptr) {
    fault(staged, source == nullptr ? asked.src : asked.dst);
  } else {
    staged.bytes.resize(asked.bytes);
    std::memcpy(staged.bytes.data(), asked.src, asked.bytes);
    if (asked.fault == CopyFault::loses_completion) staged.outcome = Outcome::lost;
  }
  return staged;
}

void Engine::fault(Staged& staged, const void* address) {
  staged.outcome = Outcome::failed;
  runtime_.events.raise_memory_fault(agent_.handle, address);
}

void Engine::deliver(Staged& staged) {
  if (staged.outcome != Outcome::failed) {
    std::memcpy(staged.copy.dst, staged.bytes.data(), staged.bytes.size());
    counters().bytes.fetch_add(static_cast<std::int64_t>(staged.bytes.size()));
  }
  staged.ticks.end = runtime_.time_copies ? ticks_now() : 0;
  {
    const std::lock_guard lock(mutex_);
    --running_;
    pending_.fetch_sub(1);
  }
  counters().running.fetch_sub(1);
  changed_.notify_all();
  if (staged.outcome == Outcome::lost) {
    runtime_.lost.add(*staged.copy.completion);
  } else {
    staged.copy.completion->finish(staged.outcome, Work::copy, staged.ticks);
  }
}

}  // namespace conccl::test::fake_hsa
