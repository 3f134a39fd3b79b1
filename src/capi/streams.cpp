// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>

#include "capi/handles.hpp"

namespace conccl::capi {
namespace {

// No limit, in a form that the clock's arithmetic bears.
constexpr std::chrono::hours kForever{24 * 365};

concclResult_t wait_for(const Stream& stream, std::chrono::nanoseconds limit) {
  return stream.queue->synchronize(limit) ? concclSuccess : concclInProgress;
}

}  // namespace
}  // namespace conccl::capi

using namespace conccl;
using namespace conccl::capi;

concclResult_t concclStreamCreate(concclStream_t* stream, concclComm_t comm) {
  return guarded_on(comm, "concclStreamCreate", [&](const std::shared_ptr<Comm>& known) {
    require(stream, "concclStreamCreate: stream");
    auto device = known->device();
    auto queue = device->make_queue({"stream", plan::Engine::compute, {}, {}});
    void* const native = queue->native();
    auto made = std::make_shared<Stream>(Stream{std::move(device), std::move(queue)});
    *stream = native == nullptr ? stream_table().add(std::move(made))
                                : stream_table().add_as(native, std::move(made));
  });
}

concclResult_t concclStreamSynchronize(concclStream_t stream, int timeout_ms) {
  return guarded([&] {
    const auto known = stream_of(stream, "concclStreamSynchronize");
    if (timeout_ms >= 0) return wait_for(*known, std::chrono::milliseconds(timeout_ms));
    while (wait_for(*known, kForever) == concclInProgress) {
    }
    return concclSuccess;
  });
}

concclResult_t concclStreamQuery(concclStream_t stream) {
  return guarded([&] {
    return wait_for(*stream_of(stream, "concclStreamQuery"), std::chrono::nanoseconds(0));
  });
}

concclResult_t concclStreamDestroy(concclStream_t stream) {
  return guarded([&] {
    // A queue that is destroyed gives up on what is late; the communicators' deadlines bound this.
    const auto known = stream_of(stream, "concclStreamDestroy");
    while (wait_for(*known, kForever) == concclInProgress) {
    }
    (void)stream_table().remove(stream);
  });
}
