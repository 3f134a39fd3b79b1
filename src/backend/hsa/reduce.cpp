// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backend/hsa/device.hpp"
#include "backend/hsa/tasks.hpp"
#include "conccl/backend/hsa.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa {
namespace {

static_assert(kMostReduceSources == kMostSources);

Number number_of(DataType type) {
  switch (type) {
    case DataType::int8:
      return Number::int8;
    case DataType::uint8:
      return Number::uint8;
    case DataType::int32:
      return Number::int32;
    case DataType::uint32:
      return Number::uint32;
    case DataType::int64:
      return Number::int64;
    case DataType::uint64:
      return Number::uint64;
    case DataType::float16:
      return Number::fp16;
    case DataType::float32:
      return Number::fp32;
    case DataType::float64:
      return Number::fp64;
    case DataType::bfloat16:
      return Number::bf16;
  }
  return Number::fp32;
}

Operation operation_of(ReduceOperation operation) {
  switch (operation) {
    case ReduceOperation::sum:
      return Operation::sum;
    case ReduceOperation::min:
      return Operation::min;
    case ReduceOperation::max:
      return Operation::max;
    case ReduceOperation::product:
      return Operation::product;
  }
  return Operation::sum;
}

class ReduceTask final : public Task, public Runnable {
 public:
  ReduceTask(ReduceArgs args, std::vector<const void*> sources, DataType type)
      : args_(args), sources_(std::move(sources)), bytes_(args.count * size_of(type)) {}

  void start(ComputeLane& lane) override {
    if (args_.count == 0) return;
    ReduceArgs args = args_;
    args.dst = lane.reached(args_.dst, bytes_);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      args.sources[i] = lane.reached(sources_[i], bytes_);
    }
    lane.launch(args.count, args);
  }
  void finish(ComputeLane& lane) override { lane.finish(bytes_ * (sources_.size() + 1)); }

 private:
  ReduceArgs args_;  ///< but for the addresses, as the GPU sees them
  std::vector<const void*> sources_;
  Bytes bytes_;
};

void demand_aligned(const void* address, const std::string& what, DataType type) {
  if (reinterpret_cast<std::uintptr_t>(address) % size_of(type) == 0) return;
  throw InputError(fmt::format("make_reduce: {} at {}, expected a multiple of {} bytes for {}",
                               what, fmt::ptr(address), size_of(type), name_of(type)));
}

void demand_sources(const std::vector<const void*>& sources, DataType type) {
  if (sources.empty() || sources.size() > kMostReduceSources) {
    throw InputError(fmt::format("make_reduce: {} sources, expected 1 to {}", sources.size(),
                                 kMostReduceSources));
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    demand_aligned(sources[i], fmt::format("source {}", i), type);
  }
}

}  // namespace

std::unique_ptr<Task> make_reduce(Device& device, Reduction reduction) {
  if (dynamic_cast<HsaDevice*>(&device) == nullptr) {
    throw InputError("make_reduce: expected a device of the HSA backend");
  }
  demand_aligned(reduction.dst, "dst", reduction.type);
  demand_sources(reduction.sources, reduction.type);
  ReduceArgs args;
  args.dst = reduction.dst;
  args.count = reduction.count;
  args.source_count = static_cast<std::uint32_t>(reduction.sources.size());
  args.type = number_of(reduction.type);
  args.operation = operation_of(reduction.operation);
  return std::make_unique<ReduceTask>(args, std::move(reduction.sources), reduction.type);
}

}  // namespace conccl::backend::hsa
