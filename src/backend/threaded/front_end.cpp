// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/threaded/front_end.hpp"

#include <algorithm>
#include <span>

namespace conccl::backend::threaded {
namespace {

using Clock = std::chrono::steady_clock;

// How long a wait sleeps before it looks whether its queue is being destroyed.
constexpr std::chrono::milliseconds kWaitSlice{100};

bool is_own_signal(const Op& op) {
  const auto* signal = std::get_if<SignalOp>(&op);
  return signal != nullptr && signal->own;
}

/// An own signal directly before work is raised as that work starts.
bool belongs_to_next(const Program& program, std::size_t at) {
  return is_own_signal(program[at]) && at + 1 < program.size() && is_work(program[at + 1]);
}

/// Queues that come after one that gave up must not wait for good.
void let_go(const Op& op) {
  const auto* signal = std::get_if<SignalOp>(&op);
  if (signal != nullptr && signal->kept) perform(op);
}

std::size_t end_of_work(const Program& program, std::size_t at) {
  if (std::holds_alternative<ComputeOp>(program[at])) return at + 1;
  while (at < program.size() && std::holds_alternative<CopyOp>(program[at])) ++at;
  return at;
}

std::size_t end_of_marks(const Program& program, std::size_t at) {
  while (at < program.size() && is_mark(program[at]) && !belongs_to_next(program, at)) ++at;
  return at;
}

}  // namespace

std::exception_ptr FrontEnd::run(const Program& program) {
  skipping_ = false;
  std::exception_ptr first;
  std::size_t at = 0;
  while (at < program.size() && !gave_up_ && !failed_) {
    const std::size_t from = at;
    try {
      at = step(program, from);
    } catch (const DeviceFailed&) {
      if (!first) first = std::current_exception();
      failed_ = true;
    } catch (...) {
      if (!first) first = std::current_exception();
      at = from + 1;
      if (is_work(program[from]) || belongs_to_next(program, from)) {
        at = end_of_marks(program, end_of_work(program, is_work(program[from]) ? from : from + 1));
      }
    }
  }
  const auto rest = std::span(program).subspan(at);
  if (failed_) {
    give_up(rest);
  } else {
    std::ranges::for_each(rest, let_go);
  }
  return first;
}

std::size_t FrontEnd::step(const Program& program, std::size_t at) {
  if (is_work(program[at])) return run_work(program, at, at);
  if (belongs_to_next(program, at)) return run_work(program, at, at + 1);
  if (const auto* wait = std::get_if<WaitOp>(&program[at])) {
    if (!await(*wait)) skipping_ = true;
  } else {
    perform(program[at]);
  }
  return at + 1;
}

std::size_t FrontEnd::run_work(const Program& program, std::size_t mark, std::size_t work) {
  const std::span<const Op> ops(program);
  const std::size_t work_end = end_of_work(program, work);
  const std::size_t end = end_of_marks(program, work_end);
  const Marks marks{ops.subspan(mark, work - mark), ops.subspan(work_end, end - work_end)};
  if (skipping_) {
    perform(marks.before);
    perform(marks.after);
  } else {
    launcher_->run(ops.subspan(work, work_end - work), marks);
  }
  return end;
}

bool FrontEnd::await(const WaitOp& wait) {
  for (;;) {
    switch (wait.flag.block->wait(wait.flag.index, wait.value, kWaitSlice)) {
      case WaitResult::raised:
        return true;
      case WaitResult::poisoned:
        return false;
      case WaitResult::timed_out:
        if (wait.kept && is_ending()) return false;
        if (!waits_abandoned()) break;
        gave_up_ = true;
        return false;
    }
  }
}

void FrontEnd::abandon_waits(std::chrono::nanoseconds limit) {
  abandon_at_ = Nanoseconds(Clock::now().time_since_epoch() + limit).count();
}

bool FrontEnd::is_ending() const { return abandon_at_.load() != kNever; }

bool FrontEnd::waits_abandoned() const {
  return Clock::now().time_since_epoch().count() >= abandon_at_.load();
}

}  // namespace conccl::backend::threaded
