// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hip/stream.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <utility>

#include "tests/fakes/hip/settings.hpp"

using conccl::test::fake_hip::counters;
using conccl::test::fake_hip::settings;

namespace {

constexpr std::chrono::microseconds kLook{20};

}  // namespace

ihipStream_t::ihipStream_t(int device) : device_(device), thread_([this] { serve(); }) {
  ++counters().streams;
}

ihipStream_t::~ihipStream_t() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
  --counters().streams;
}

bool ihipStream_t::idle() {
  const std::lock_guard lock(mutex_);
  return operations_.empty() && !running_;
}

void ihipStream_t::put(Operation operation) {
  // Of now: a reset that comes before the thread does ends it too.
  const auto generation = settings().generation();
  const bool hangs = settings().hangs();
  {
    const std::lock_guard lock(mutex_);
    if (hangs) operations_.emplace_back([this, generation] { hang(generation); });
    operations_.push_back(std::move(operation));
  }
  changed_.notify_one();
}

void ihipStream_t::hang(std::uint64_t generation) const {
  while (!ending_ && settings().generation() == generation) std::this_thread::sleep_for(kLook);
}

void ihipStream_t::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !operations_.empty(); });
    if (ending_) return;
    const Operation operation = std::move(operations_.front());
    operations_.pop_front();
    running_ = true;
    lock.unlock();
    operation();
    lock.lock();
    running_ = false;
  }
}

void ihipStream_t::launch(Operation work) {
  put([this, work = std::move(work)] {
    if (!acquired_) ++counters().unfenced_reads;
    work();
    ++counters().launches;
    released_ = false;
  });
}

void ihipStream_t::write(std::uint64_t* word, std::uint64_t value) {
  put([this, word, value] {
    if (!released_) ++counters().unfenced_writes;
    std::atomic_ref(*word).store(value, std::memory_order_release);
  });
}

void ihipStream_t::wait(std::uint64_t* word, std::uint64_t value, std::uint64_t mask) {
  put([this, word, value, mask] {
    const std::atomic_ref seen(*word);
    while (!ending_ && (seen.load(std::memory_order_acquire) & mask) < value) {
      std::this_thread::sleep_for(kLook);
    }
    acquired_ = false;
  });
}

void ihipStream_t::record(unsigned event_flags) {
  put([this, event_flags] {
    if ((event_flags & conccl::test::fake_hip::hipEventReleaseToSystem) != 0) {
      released_ = acquired_ = true;
    }
  });
}

namespace conccl::test::fake_hip {
namespace {

struct Streams {
  std::mutex mutex;
  std::map<hipStream_t, std::unique_ptr<ihipStream_t>> made;
  std::map<int, std::unique_ptr<ihipStream_t>> legacy;  ///< by device
};

// Never destroyed: a test may leave streams behind.
Streams& streams() {
  static auto* const instance = new Streams;
  return *instance;
}

}  // namespace

int& current_device() {
  thread_local int device = 0;
  return device;
}

hipStream_t find_stream(hipStream_t handle) {
  const std::lock_guard lock(streams().mutex);
  if (handle != nullptr) return streams().made.contains(handle) ? handle : nullptr;
  auto& legacy = streams().legacy[current_device()];
  if (!legacy) legacy = std::make_unique<ihipStream_t>(current_device());
  return legacy.get();
}

hipStream_t make_stream() {
  auto stream = std::make_unique<ihipStream_t>(current_device());
  hipStream_t handle = stream.get();
  const std::lock_guard lock(streams().mutex);
  streams().made[handle] = std::move(stream);
  return handle;
}

bool destroy_stream(hipStream_t stream) {
  std::unique_ptr<ihipStream_t> dead;
  const std::lock_guard lock(streams().mutex);
  const auto found = streams().made.find(stream);
  if (found == streams().made.end()) return false;
  dead = std::move(found->second);
  streams().made.erase(found);
  return true;
}

}  // namespace conccl::test::fake_hip
