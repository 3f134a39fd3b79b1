// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The host backend with cycle counters, which it has not: rank r's units count 1 + r cycles a
/// nanosecond.
#pragma once

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "backend/host/work.hpp"
#include "conccl/backend/registry.hpp"

namespace conccl::bench::test {

class CountingTask final : public backend::Task, public backend::host::Tiled {
 public:
  CountingTask(int rank, std::vector<backend::CycleReading>& readings)
      : rank_(rank), readings_(readings) {}
  [[nodiscard]] std::size_t tiles() const override { return 1; }
  void run_tile(std::size_t /*tile*/) override {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    const auto ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(since).count());
    const auto rate = static_cast<std::uint64_t>(rank_) + 1;
    readings_ = {{0, ns * rate, ns}, {1, ns * rate + 77, ns}};
  }

 private:
  int rank_;
  std::vector<backend::CycleReading>& readings_;
};

class CountingDevice final : public backend::Device {
 public:
  CountingDevice(std::unique_ptr<backend::Device> inner, int rank)
      : inner_(std::move(inner)), rank_(rank) {}

  backend::Memory allocate(Bytes bytes) override { return inner_->allocate(bytes); }
  std::optional<backend::Allocation> allocation_of(const void* address) const override {
    return inner_->allocation_of(address);
  }
  backend::Shareable share(const backend::Allocation& allocation) override {
    return inner_->share(allocation);
  }
  backend::Memory map(backend::Shareable shareable) override {
    return inner_->map(std::move(shareable));
  }
  std::unique_ptr<backend::FlagBlock> make_flags(int count) override {
    return inner_->make_flags(count);
  }
  std::unique_ptr<backend::FlagBlock> map_flags(backend::Memory memory, int count) override {
    return inner_->map_flags(std::move(memory), count);
  }
  std::unique_ptr<backend::Queue> make_queue(const backend::QueueSpec& spec) override {
    return inner_->make_queue(spec);
  }
  std::unique_ptr<backend::Gemm> make_gemm(const GemmSpec& spec, std::uint64_t seed) override {
    return inner_->make_gemm(spec, seed);
  }
  std::unique_ptr<backend::Task> make_fill(void* data,
                                           std::vector<backend::Stretch> stretches) override {
    return inner_->make_fill(data, std::move(stretches));
  }
  std::unique_ptr<backend::Task> make_poison(void* data, Bytes bytes) override {
    return inner_->make_poison(data, bytes);
  }
  std::unique_ptr<backend::Task> make_compare(const void* data,
                                              std::vector<backend::Stretch> stretches,
                                              backend::Comparison& result) override {
    return inner_->make_compare(data, std::move(stretches), result);
  }
  std::unique_ptr<backend::Task> make_cycle_reading(
      std::vector<backend::CycleReading>& readings) override {
    return std::make_unique<CountingTask>(rank_, readings);
  }
  Nanoseconds now() const override { return inner_->now(); }
  void start_timeline() override { inner_->start_timeline(); }
  plan::Timeline take_timeline() override { return inner_->take_timeline(); }

 private:
  std::unique_ptr<backend::Device> inner_;
  int rank_;
};

class CountingBackend final : public backend::Backend {
 public:
  CountingBackend() : inner_(backend::open("host")), capabilities_(inner_->capabilities()) {
    capabilities_.cycle_counters = true;
  }
  [[nodiscard]] const backend::Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] const Machine& machine() const override { return inner_->machine(); }
  [[nodiscard]] std::unique_ptr<backend::Device> open_device(int index) override {
    return std::make_unique<CountingDevice>(inner_->open_device(index), index);
  }

 private:
  std::unique_ptr<backend::Backend> inner_;
  backend::Capabilities capabilities_;
};

}  // namespace conccl::bench::test
