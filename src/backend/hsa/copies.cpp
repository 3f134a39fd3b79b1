// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/copies.hpp"

#include <fmt/format.h>

#include <utility>

namespace conccl::backend::hsa {
namespace {

std::string name_of(int gpu) { return gpu < 0 ? "the host" : fmt::format("GPU {}", gpu); }

}  // namespace

void CopyBatch::submit(std::span<const threaded::Op> copies) {
  for (const threaded::Op& op : copies) {
    const auto& copy = std::get<threaded::CopyOp>(op);
    // The runtime would take it and never touch its signal.
    if (copy.bytes == 0) continue;
    try {
      submit_one(copy);
    } catch (const RunError& error) {
      fail(error.what());
      return;
    }
  }
}

void CopyBatch::submit_one(const threaded::CopyOp& copy) {
  Runtime& runtime = *site_.runtime;
  Copy handed{copy, {runtime.signals().take(), {}}, -1, 0, {}};
  auto& holds = handed.in_flight.holds;
  const Reached dst = reach(site_.runtime, copy.dst, copy.bytes, holds);
  const Reached src = reach(site_.runtime, copy.src, copy.bytes, holds);
  const Route way = route(dst, src);
  handed.to_gpu = dst.gpu;
  handed.engine = way.engine;
  handed.submitted = steady_now();
  const auto status = runtime.calls().hsa_amd_memory_async_copy_on_engine(
      way.dst.pointer, way.dst.agent, way.src.pointer, way.src.agent, copy.bytes, 0, nullptr,
      handed.in_flight.done.get(), static_cast<abi::hsa_amd_sdma_engine_id_t>(1U << way.engine),
      true);
  if (status != abi::HSA_STATUS_SUCCESS) {
    throw RunError(fmt::format("copy of {} bytes from {} to {} on engine {}: {}", copy.bytes,
                               name_of(src.gpu), name_of(dst.gpu), way.engine,
                               text_of(runtime.calls(), status)));
  }
  copies_.push_back(std::move(handed));
}

CopyBatch::Route CopyBatch::route(const Reached& dst, const Reached& src) const {
  const int mine = site_.gpu;
  const EngineTable& engines = site_.runtime->gpu(mine).engines;
  const auto to = [](const EngineTable& table, int gpu) {
    return gpu < 0 ? table.to_host : table.to_gpu[static_cast<std::size_t>(gpu)];
  };
  Route way{dst, src, 0};
  if (src.gpu == mine) {
    way.engine = to(engines, dst.gpu);
  } else if (dst.gpu == mine && src.gpu >= 0) {
    // The GPU of the agent that is named as the source runs the copy.
    std::swap(way.dst.agent, way.src.agent);
    way.engine = to(engines, src.gpu);
  } else if (src.gpu >= 0) {
    way.engine = to(site_.runtime->gpu(src.gpu).engines, dst.gpu);
  } else if (dst.gpu >= 0) {
    way.engine = site_.runtime->gpu(dst.gpu).engines.from_host;
  } else {
    way.dst.agent = way.src.agent = site_.runtime->gpu(mine).facts.agent;
    way.engine = engines.from_host;
  }
  if (copies_are_reversed()) std::swap(way.dst.agent, way.src.agent);
  return way;
}

void CopyBatch::finish() {
  Bytes bytes = 0;
  for (const Copy& copy : copies_) bytes += copy.op.bytes;
  const auto until = std::chrono::steady_clock::now() + site_.runtime->time_for(bytes);
  for (Copy& copy : copies_) finish_one(copy, until);
  copies_.clear();
  if (failure_.empty()) return;
  site_.runtime->gpu(site_.gpu).failure.declare(failure_);
  throw threaded::DeviceFailed(std::exchange(failure_, {}));
}

void CopyBatch::finish_one(Copy& copy, std::chrono::steady_clock::time_point until) {
  Runtime& runtime = *site_.runtime;
  const Gpu& gpu = runtime.gpu(site_.gpu);
  const auto value = runtime.await(copy.in_flight.done.get(), gpu, until);
  const auto about = [&copy] {
    return fmt::format("copy of {} bytes to {} on engine {}", copy.op.bytes, name_of(copy.to_gpu),
                       copy.engine);
  };
  if (!value) {
    fail(fmt::format(
        "{}: not ended after {} ms", about(),
        std::chrono::duration_cast<std::chrono::milliseconds>(steady_now() - copy.submitted)
            .count()));
    runtime.overdue().add(std::move(copy.in_flight));
  } else if (*value < 0) {
    fail(fmt::format("{}: failed with signal value {}", about(), *value));
  } else if (site_.log->recording()) {
    record(copy);
  }
}

void CopyBatch::fail(const std::string& what) {
  if (!failure_.empty()) return;
  failure_ = fmt::format("queue {} of GPU {}: {}", site_.label, site_.gpu, what);
}

void CopyBatch::record(const Copy& copy) const {
  const Runtime& runtime = *site_.runtime;
  plan::Span span{
      copy.op.origin.rank, site_.label,  copy.op.origin.step, fmt::format("dma{}", copy.engine),
      copy.submitted,      steady_now(), copy.op.bytes};
  abi::hsa_amd_profiling_async_copy_time_t time{};
  const auto get = runtime.calls().hsa_amd_profiling_get_async_copy_time;
  if (get != nullptr && get(copy.in_flight.done.get(), &time) == abi::HSA_STATUS_SUCCESS) {
    span.start = runtime.clock().time_of(time.start);
    span.end = runtime.clock().time_of(time.end);
  }
  site_.log->add(std::move(span));
}

}  // namespace conccl::backend::hsa
