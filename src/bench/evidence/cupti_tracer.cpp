// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "bench/evidence/cupti_records.hpp"
#include "bench/evidence/tracer.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

/// This process's buffers for as long as the object lives.
class BufferClaim {
 public:
  BufferClaim() {
    if (!CuptiBuffers::of_process().acquire()) {
      throw Unavailable("another tracer records this process already");
    }
  }
  ~BufferClaim() { CuptiBuffers::of_process().release(); }
  BufferClaim(const BufferClaim&) = delete;
  BufferClaim& operator=(const BufferClaim&) = delete;
};

void CUPTIAPI ignore(void* /*data*/, CUpti_CallbackDomain /*domain*/, CUpti_CallbackId /*call*/,
                     const void* /*details*/) {}

/// CUPTI in this process, from subscription to detachment. As long as it is attached it costs
/// every launch something, recording or not.
class Attachment {
 public:
  /// A profiler that the process runs under holds the one subscription there is.
  explicit Attachment(const Cupti& cupti) : cupti_(cupti) {
    cupti_.check(cupti_.cuptiSubscribe(&subscriber_, &ignore, nullptr), "cuptiSubscribe");
  }
  ~Attachment() {
    (void)cupti_.cuptiUnsubscribe(subscriber_);
    (void)cupti_.cuptiFinalize();
  }
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

 private:
  const Cupti& cupti_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
};

class CuptiTracer : public Tracer {
 public:
  CuptiTracer() : cupti_(open_cupti_library()), attachment_(cupti_) {
    cupti_.check(
        cupti_.cuptiActivityRegisterCallbacks(&CuptiBuffers::requested, &CuptiBuffers::completed),
        "cuptiActivityRegisterCallbacks");
  }
  ~CuptiTracer() override { disable(); }
  CuptiTracer(const CuptiTracer&) = delete;
  CuptiTracer& operator=(const CuptiTracer&) = delete;

  void start() override;
  Evidence stop() override;

 private:
  void disable();
  void check_dropped() const;
  [[nodiscard]] Evidence collect() const;

  BufferClaim claim_;
  Cupti cupti_;
  Attachment attachment_;
};

void CuptiTracer::start() {
  (void)CuptiBuffers::of_process().take();
  CuptiBuffers::of_process().recycle();
  try {
    for (const auto kind : kTracedKinds) {
      cupti_.check(cupti_.cuptiActivityEnable(kind), "cuptiActivityEnable");
    }
  } catch (const Unavailable&) {
    disable();
    throw;
  }
}

void CuptiTracer::disable() {
  for (const auto kind : kTracedKinds) (void)cupti_.cuptiActivityDisable(kind);
}

Evidence CuptiTracer::stop() {
  disable();
  cupti_.check(cupti_.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED),
               "cuptiActivityFlushAll");
  check_dropped();
  return collect();
}

void CuptiTracer::check_dropped() const {
  std::size_t dropped = 0;
  cupti_.check(cupti_.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped),
               "cuptiActivityGetNumDroppedRecords");
  if (dropped > 0) throw Unavailable(fmt::format("CUPTI dropped {} records", dropped));
}

Evidence CuptiTracer::collect() const {
  auto& buffers = CuptiBuffers::of_process();
  Evidence evidence;
  evidence.tracer = cupti_.version;
  for (const auto& buffer : buffers.take()) add_records(cupti_, buffer, evidence);
  buffers.recycle();
  return evidence;
}

}  // namespace

std::unique_ptr<Tracer> open_cupti() { return std::make_unique<CuptiTracer>(); }

}  // namespace conccl::bench
