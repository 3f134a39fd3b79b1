// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/log.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace conccl {
namespace {

// The process-wide sink is the one piece of shared state the header promises. The caller of `log`
// keeps its own reference, so that replacing the sink never destroys one that is running and a
// sink may itself call `set_log_sink`.
class SinkSlot {
 public:
  void replace(std::shared_ptr<const LogSink> sink) {
    const std::lock_guard lock(mutex_);
    sink_.swap(sink);
  }

  std::shared_ptr<const LogSink> current() {
    const std::lock_guard lock(mutex_);
    return sink_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const LogSink> sink_;
};

SinkSlot& sink_slot() {
  // Never destroyed: threads may still log while static destructors run.
  static auto* const slot = new SinkSlot;
  return *slot;
}

}  // namespace

void set_log_sink(LogSink sink) {
  sink_slot().replace(sink ? std::make_shared<const LogSink>(std::move(sink)) : nullptr);
}

void log(LogLevel level, std::string_view line) {
  if (const auto sink = sink_slot().current()) (*sink)(level, line);
}

}  // namespace conccl
