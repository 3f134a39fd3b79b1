// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/threaded/threaded_queue.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "backend/threads.hpp"
#include "conccl/backend/host_flags.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::threaded {
namespace {

// A queue that is destroyed lets its waits go after this long; owners poison flags to be faster.
constexpr std::chrono::seconds kDestructionLimit{10};
constexpr std::chrono::hours kLongestWait{24 * 365};

std::shared_ptr<HostFlags> one_flag() {
  auto slots = std::make_shared<std::array<FlagSlot, 2>>();
  Memory memory(std::shared_ptr<void>(slots, slots->data()), HostFlags::bytes_for(1));
  return std::make_shared<HostFlags>(std::move(memory), 1, nullptr);
}

}  // namespace

ThreadedQueue::ThreadedQueue(QueueSetup setup)
    : label_(std::move(setup.label)),
      owner_(setup.owner),
      passed_(one_flag()),
      front_end_(std::move(setup.launcher)),
      thread_(start_thread("q:" + label_, setup.cpus, [this] { serve(); })) {}

ThreadedQueue::~ThreadedQueue() {
  front_end_.abandon_waits(kDestructionLimit);
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  submitted_.notify_one();
  thread_.join();
}

void ThreadedQueue::copy(void* dst, const void* src, Bytes bytes, Origin origin) {
  recording_.emplace_back(
      CopyOp{static_cast<std::byte*>(dst), static_cast<const std::byte*>(src), bytes, origin});
}

void ThreadedQueue::signal(FlagRef flag, std::uint64_t value) {
  const auto* block = dynamic_cast<const HostFlags*>(flag.block);
  const bool own = block != nullptr && block->owner() == owner_;
  recording_.emplace_back(SignalOp{flag, value, own, nullptr});
}

void ThreadedQueue::wait(FlagRef flag, std::uint64_t value) {
  recording_.emplace_back(WaitOp{flag, value, nullptr});
}

void ThreadedQueue::compute(Task& task, Origin origin) {
  if (!front_end_.accepts(task)) {
    throw InputError("queue " + label_ + ": compute was given a task of another backend");
  }
  recording_.emplace_back(ComputeOp{&task, origin});
}

void ThreadedQueue::timestamp(Timestamp& slot) { recording_.emplace_back(TimestampOp{&slot}); }

void ThreadedQueue::after(Queue& other) {
  auto* first = dynamic_cast<ThreadedQueue*>(&other);
  if (first == nullptr || first->owner_ != owner_) {
    throw InputError("queue " + label_ + ": after: expected a queue of its device");
  }
  const auto& passed = first->passed_;
  first->recording_.emplace_back(SignalOp{{passed.get(), 0}, ++first->marks_, false, passed});
  first->submit();
  recording_.emplace_back(WaitOp{{passed.get(), 0}, first->marks_, passed});
}

void ThreadedQueue::submit() {
  if (recording_.empty()) return;
  Program program = std::exchange(recording_, {});
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back(std::move(program));
    if (!spare_.empty()) {
      recording_ = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  submitted_.notify_one();
}

void ThreadedQueue::keep(std::shared_ptr<void> /*what*/) {
  throw InputError("queue " + label_ + ": keep: expected a queue that is captured");
}

bool ThreadedQueue::synchronize(std::chrono::nanoseconds limit) {
  std::unique_lock lock(mutex_);
  const auto until =
      std::chrono::steady_clock::now() + std::min<std::chrono::nanoseconds>(limit, kLongestWait);
  if (!idle_.wait_until(lock, until, [this] { return pending_.empty() && !running_; }))
    return false;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  front_end_.demand_sound();
  return true;
}

void ThreadedQueue::serve() {
  prefer_quick_wakeups();
  Program program;
  while (next_program(program)) {
    std::exception_ptr error = front_end_.run(program);
    retire(std::exchange(program, {}), std::move(error));
  }
}

bool ThreadedQueue::next_program(Program& program) {
  std::unique_lock lock(mutex_);
  submitted_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
  if (pending_.empty()) return false;
  program = std::move(pending_.front());
  pending_.pop_front();
  running_ = true;
  return true;
}

void ThreadedQueue::retire(Program program, std::exception_ptr error) {
  program.clear();
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(program));
  running_ = false;
  if (error && !error_) error_ = std::move(error);
  if (pending_.empty()) idle_.notify_all();
}

}  // namespace conccl::backend::threaded
