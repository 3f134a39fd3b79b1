// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/faulty/faulty_backend.hpp"

#include <algorithm>

#include "tests/cli/faulty/faulty_queue.hpp"

namespace conccl::test {
namespace {

class FaultyBackend final : public backend::Backend {
 public:
  FaultyBackend(std::unique_ptr<backend::Backend> inner, Fault fault)
      : inner_(std::move(inner)),
        capabilities_(inner_->capabilities()),
        state_(std::make_shared<FaultState>(fault)) {
    capabilities_.backend = "faulty";
  }

  const backend::Capabilities& capabilities() const override { return capabilities_; }
  const Machine& machine() const override { return inner_->machine(); }
  std::unique_ptr<backend::Device> open_device(int index) override {
    return std::make_unique<FaultyDevice>(inner_->open_device(index), index, state_);
  }

 private:
  std::unique_ptr<backend::Backend> inner_;
  backend::Capabilities capabilities_;
  std::shared_ptr<FaultState> state_;
};

}  // namespace

backend::Entry faulty_entry() {
  return {"faulty", [] {
            return std::make_unique<FaultyBackend>(backend::open("host"), fault_from_environment());
          }};
}

FaultyDevice::FaultyDevice(std::unique_ptr<backend::Device> inner, int index,
                           std::shared_ptr<FaultState> state)
    : inner_(std::move(inner)), index_(index), state_(std::move(state)) {
  if (index_ == kFaultyRank && state_->fault() == Fault::late) {
    late_ = inner_->make_queue({"late", plan::Engine::dma, {}, {}});
  }
}

FaultyDevice::~FaultyDevice() { state_->release_late_copies(); }

backend::Memory FaultyDevice::remember(int device, const backend::Memory& memory) {
  const auto owner = std::make_shared<backend::Memory>(memory);
  const std::shared_ptr<void> data(owner, owner->data());
  state_->add_memory(device, data, memory.bytes());
  return {data, memory.bytes()};
}

backend::Memory FaultyDevice::allocate(Bytes bytes) {
  return remember(index_, inner_->allocate(bytes));
}

/// Tells the other process whose memory it is in one more byte.
backend::Shareable FaultyDevice::share(const backend::Allocation& allocation) {
  auto shareable = inner_->share(allocation);
  shareable.data.push_back(static_cast<std::byte>(index_));
  return shareable;
}

backend::Memory FaultyDevice::map(backend::Shareable shareable) {
  const int device = std::to_integer<int>(shareable.data.at(shareable.data.size() - 1));
  shareable.data.pop_back();
  return remember(device, inner_->map(std::move(shareable)));
}

std::unique_ptr<backend::Queue> FaultyDevice::make_queue(const backend::QueueSpec& spec) {
  return std::make_unique<FaultyQueue>(inner_->make_queue(spec), *this);
}

std::unique_ptr<backend::Gemm> FaultyDevice::make_gemm(const GemmSpec& spec, std::uint64_t seed) {
  auto task = inner_->make_gemm(spec, seed);
  forget(*task);
  return task;
}

std::unique_ptr<backend::Task> FaultyDevice::make_poison(void* data, Bytes bytes) {
  auto task = inner_->make_poison(data, bytes);
  forget(*task);
  return task;
}

std::unique_ptr<backend::Task> FaultyDevice::make_fill(void* data,
                                                       std::vector<backend::Stretch> stretches) {
  Bytes begin = stretches.empty() ? 0 : stretches.front().offset;
  Bytes end = begin;
  for (const auto& stretch : stretches) {
    begin = std::min(begin, stretch.offset);
    end = std::max(end, stretch.offset + stretch.bytes);
  }
  auto task = inner_->make_fill(data, std::move(stretches));
  note(*task, {static_cast<std::byte*>(data) + begin, end - begin});
  return task;
}

std::unique_ptr<backend::Task> FaultyDevice::make_compare(const void* data,
                                                          std::vector<backend::Stretch> stretches,
                                                          backend::Comparison& result) {
  auto task = inner_->make_compare(data, std::move(stretches), result);
  note(*task, {});
  return task;
}

void FaultyDevice::note(const backend::Task& task, Noted noted) { noted_[&task] = noted; }

void FaultyDevice::forget(const backend::Task& task) { noted_.erase(&task); }

void FaultyDevice::after_task(const backend::Task& task, backend::Queue& queue,
                              backend::Origin origin) {
  const auto found = noted_.find(&task);
  if (found == noted_.end()) return;
  const Noted& noted = found->second;
  if (noted.data == nullptr && state_->fault() == Fault::late) {
    queue.signal({&state_->compares(), index_}, ++compares_);
  }
  if (noted.bytes > 0 && state_->fault() == Fault::stale) {
    Shadow& shadow = state_->shadow_to_fill(*inner_, noted.data, noted.bytes);
    queue.copy(shadow.kept[shadow.fills % 2].data(), noted.data, noted.bytes, origin);
  }
}

void FaultyDevice::copy_late(void* dst, const void* src, Bytes bytes, backend::Origin origin) {
  kept_.push_back(state_->share(dst));
  kept_.push_back(state_->share(src));
  late_->wait({&state_->compares(), state_->owner_of(dst)}, compares_ + 1);
  late_->copy(dst, src, bytes, origin);
  late_->submit();
}

}  // namespace conccl::test
