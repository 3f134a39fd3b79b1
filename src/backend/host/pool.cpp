// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/pool.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "backend/threads.hpp"

namespace conccl::backend::host {
namespace {

Nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

std::exception_ptr caught(auto&& action) {
  try {
    action();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

void run_piece(Work& work, std::size_t piece) {
  if (piece == 0) work.started();
  work.run(piece);
}

void run_recorded(Work& work, std::size_t piece, const SpanSink& sink, int unit) {
  const Nanoseconds start = now();
  run_piece(work, piece);
  const Origin origin = work.origin(piece);
  sink.units[unit].add({origin.rank, *sink.lane, origin.step, {}, start, now(), work.bytes(piece)});
}

}  // namespace

Pool::Pool(const PoolSpec& spec) : order_(spec.order) {
  threads_.reserve(spec.cpus.size());
  for (std::size_t unit = 0; unit < spec.cpus.size(); ++unit) {
    threads_.push_back(start_thread(fmt::format("{}{}", spec.name, unit), spec.cpus[unit],
                                    [this, unit] { serve(static_cast<int>(unit)); }));
  }
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Pool::run(Work& work, const Placement& placement, const SpanSink* sink) {
  Entry entry{work, placement, sink};
  entry.unfinished = work.pieces();
  if (entry.unfinished == 0) {
    work.started();
    work.finished();
    return;
  }
  std::unique_lock lock(mutex_);
  line_of(placement.priority).push_back(&entry);
  wake_.notify_all();
  entry.end.wait(lock, [&entry] { return entry.ended; });
  lock.unlock();
  if (entry.error) std::rethrow_exception(entry.error);
}

std::size_t Pool::waiting() const {
  const std::lock_guard lock(mutex_);
  return high_.size() + normal_.size();
}

Pool::Line& Pool::line_of(plan::Priority priority) {
  return priority == plan::Priority::high ? high_ : normal_;
}

Pool::Claim Pool::claim_from(Line& line, int unit) {
  for (auto at = line.begin(); at != line.end(); ++at) {
    Entry* entry = *at;
    if (unit < entry->placement.first_unit || unit >= entry->placement.end_unit) continue;
    const Claim claim{entry, entry->next++};
    const bool exhausted = entry->next == entry->work.pieces();
    if (exhausted || order_ == PoolOrder::round_robin) line.erase(at);
    if (!exhausted && order_ == PoolOrder::round_robin) line.push_back(entry);
    return claim;
  }
  return {};
}

Pool::Claim Pool::claim(int unit) {
  if (const Claim urgent = claim_from(high_, unit); urgent.entry != nullptr) return urgent;
  return claim_from(normal_, unit);
}

void Pool::finish(Entry& entry, std::exception_ptr error, std::unique_lock<std::mutex>& lock) {
  if (error && !entry.error) entry.error = std::move(error);
  if (--entry.unfinished > 0) return;
  lock.unlock();
  error = caught([&entry] { entry.work.finished(); });
  lock.lock();
  if (error && !entry.error) entry.error = std::move(error);
  entry.ended = true;
  // Under the lock: the entry is gone as soon as its owner gets it.
  entry.end.notify_one();
}

void Pool::serve(int unit) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const Claim next = claim(unit);
    if (next.entry == nullptr) {
      if (stopping_) return;
      wake_.wait(lock);
      continue;
    }
    lock.unlock();
    Entry& entry = *next.entry;
    auto error = caught([&] {
      if (entry.sink == nullptr) {
        run_piece(entry.work, next.piece);
      } else {
        run_recorded(entry.work, next.piece, *entry.sink, unit);
      }
    });
    lock.lock();
    finish(entry, std::move(error), lock);
  }
}

}  // namespace conccl::backend::host
