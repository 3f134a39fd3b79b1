// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace conccl::backend::hsa {
namespace {

std::string gpu_name(int gpu) { return gpu < 0 ? "the host" : fmt::format("GPU {}", gpu); }

}  // namespace

CopyBatch::~CopyBatch() {
  for (Copy& copy : copies_) site_.runtime->overdue().add(std::move(copy.in_flight));
}

void CopyBatch::submit(std::span<const threaded::Op> copies) {
  std::vector<threaded::CopyOp> wanted;
  for (const threaded::Op& op : copies) {
    const auto& copy = std::get<threaded::CopyOp>(op);
    // The runtime would take it and never touch its signal.
    if (copy.bytes != 0) wanted.push_back(copy);
  }
  std::ranges::stable_sort(wanted, std::greater(), &threaded::CopyOp::bytes);
  std::vector<Copy> prepared;
  for (const auto& copy : wanted) prepared.push_back(prepare(copy));
  const auto alone = std::stable_partition(prepared.begin(), prepared.end(),
                                           [this](const Copy& copy) { return as_one_call(copy); });
  copies_.reserve(prepared.size());
  try {
    hand_over_as_one({prepared.begin(), alone});
    hand_over_one_by_one({alone, prepared.end()});
  } catch (const RunError& error) {
    fail(error.what());
  }
}

CopyBatch::Copy CopyBatch::prepare(const threaded::CopyOp& copy) const {
  InFlight in_flight{site_.runtime->signals().take(), {}};
  const Reached dst = reach(site_.runtime, copy.dst, copy.bytes, in_flight.holds);
  const Reached src = reach(site_.runtime, copy.src, copy.bytes, in_flight.holds);
  return {copy, std::move(in_flight), route(dst, src), src.gpu, {}};
}

bool CopyBatch::as_one_call(const Copy& copy) const {
  // Within a GPU the runtime would choose compute units.
  return site_.runtime->settings().batch && copy.from_gpu != copy.way.dst.gpu &&
         site_.runtime->calls().hsa_amd_memory_async_batch_copy != nullptr;
}

void CopyBatch::hand_over_one_by_one(std::span<Copy> prepared) {
  const Calls& calls = site_.runtime->calls();
  for (Copy& copy : prepared) {
    const auto& [dst, src, engine] = copy.way;
    copy.submitted = steady_now();
    const auto status = calls.hsa_amd_memory_async_copy_on_engine(
        dst.pointer, dst.agent, src.pointer, src.agent, copy.op.bytes, 0, nullptr,
        copy.in_flight.done.get(), static_cast<abi::hsa_amd_sdma_engine_id_t>(1U << engine), true);
    if (status != abi::HSA_STATUS_SUCCESS) {
      throw RunError(fmt::format("{}: {}", name_of(copy), text_of(calls, status)));
    }
    copies_.push_back(std::move(copy));
  }
}

void CopyBatch::hand_over_as_one(std::span<Copy> prepared) {
  if (prepared.empty()) return;
  const Calls& calls = site_.runtime->calls();
  std::vector<abi::hsa_amd_memory_copy_op_t> ops;
  for (Copy& copy : prepared) {
    abi::hsa_amd_memory_copy_op_t op{};
    op.version = 1;
    op.type = abi::HSA_AMD_MEMORY_COPY_OP_LINEAR;
    op.completion_signal = copy.in_flight.done.get();
    op.src = copy.way.src.pointer;
    op.src_agent = copy.way.src.agent;
    op.dst = copy.way.dst.pointer;
    op.dst_agent = copy.way.dst.agent;
    op.size = copy.op.bytes;
    ops.push_back(op);
    copy.submitted = steady_now();
  }
  const auto status = calls.hsa_amd_memory_async_batch_copy(
      ops.data(), static_cast<std::uint32_t>(ops.size()), 0, nullptr);
  for (Copy& copy : prepared) copies_.push_back(std::move(copy));
  if (status != abi::HSA_STATUS_SUCCESS) {
    // Some may have been taken all the same: they are waited for, as far as that goes.
    throw RunError(fmt::format("batch of {} copies, the first of {} bytes: {}", ops.size(),
                               ops.front().size, text_of(calls, status)));
  }
}

std::string CopyBatch::name_of(const Copy& copy) const {
  const auto text = fmt::format("copy of {} bytes from {} to {}", copy.op.bytes,
                                gpu_name(copy.from_gpu), gpu_name(copy.way.dst.gpu));
  return as_one_call(copy) ? text : fmt::format("{} on engine {}", text, copy.way.engine);
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
  if (site_.runtime->settings().reversed) std::swap(way.dst.agent, way.src.agent);
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
  if (!value) {
    fail(fmt::format(
        "{}: not ended after {} ms", name_of(copy),
        std::chrono::duration_cast<std::chrono::milliseconds>(steady_now() - copy.submitted)
            .count()));
    runtime.overdue().add(std::move(copy.in_flight));
  } else if (*value < 0) {
    fail(fmt::format("{}: failed with signal value {}", name_of(copy), *value));
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
      copy.op.origin.rank, site_.label,
      copy.op.origin.step, as_one_call(copy) ? "dma" : fmt::format("dma{}", copy.way.engine),
      copy.submitted,      steady_now(),
      copy.op.bytes};
  abi::hsa_amd_profiling_async_copy_time_t time{};
  const auto get = runtime.calls().hsa_amd_profiling_get_async_copy_time;
  if (get != nullptr && get(copy.in_flight.done.get(), &time) == abi::HSA_STATUS_SUCCESS) {
    span.start = runtime.clock().time_of(time.start);
    span.end = runtime.clock().time_of(time.end);
  }
  site_.log->add(std::move(span));
}

}  // namespace conccl::backend::hsa
