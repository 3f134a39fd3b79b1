// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `faulty`: the host backend with a fault in its copies between ranks, to prove that the byte
/// checks of the tool can fail.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "conccl/backend/registry.hpp"
#include "tests/cli/faulty/fault_state.hpp"

namespace conccl::test {

/// The entry for a registry: decorates what `Registry::standard()` opens as "host".
[[nodiscard]] backend::Entry faulty_entry();

/// Hands everything to the device it decorates; fills and compares are remembered by task.
class FaultyDevice final : public backend::Device {
 public:
  FaultyDevice(std::unique_ptr<backend::Device> inner, int index,
               std::shared_ptr<FaultState> state);
  ~FaultyDevice() override;
  FaultyDevice(const FaultyDevice&) = delete;
  FaultyDevice& operator=(const FaultyDevice&) = delete;

  backend::Memory allocate(Bytes bytes) override;
  std::optional<backend::Allocation> allocation_of(const void* address) const override {
    return inner_->allocation_of(address);
  }
  backend::Shareable share(const backend::Allocation& allocation) override;
  backend::Memory map(backend::Shareable shareable) override;
  std::unique_ptr<backend::FlagBlock> make_flags(int count) override {
    return inner_->make_flags(count);
  }
  std::unique_ptr<backend::FlagBlock> map_flags(backend::Memory memory, int count) override {
    return inner_->map_flags(std::move(memory), count);
  }
  std::unique_ptr<backend::Queue> make_queue(const backend::QueueSpec& spec) override;
  std::unique_ptr<backend::Gemm> make_gemm(const GemmSpec& spec, std::uint64_t seed) override;
  std::unique_ptr<backend::Task> make_fill(void* data,
                                           std::vector<backend::Stretch> stretches) override;
  std::unique_ptr<backend::Task> make_poison(void* data, Bytes bytes) override;
  std::unique_ptr<backend::Task> make_compare(const void* data,
                                              std::vector<backend::Stretch> stretches,
                                              backend::Comparison& result) override;
  Nanoseconds now() const override { return inner_->now(); }
  void start_timeline() override { inner_->start_timeline(); }
  plan::Timeline take_timeline() override { return inner_->take_timeline(); }

  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] FaultState& state() { return *state_; }

  /// Behind the next compare of the rank that `dst` belongs to, instead of now.
  void copy_late(void* dst, const void* src, Bytes bytes, backend::Origin origin);
  /// What follows a task on its queue so that stale and late copies find what they need.
  void after_task(const backend::Task& task, backend::Queue& queue, backend::Origin origin);

 private:
  /// What a fill writes, or (`data` null) a compare.
  struct Noted {
    std::byte* data = nullptr;
    Bytes bytes = 0;
  };
  /// Remembers whose it is; the memory to hand out.
  backend::Memory remember(int device, const backend::Memory& memory);
  void note(const backend::Task& task, Noted noted);
  void forget(const backend::Task& task);

  std::unique_ptr<backend::Device> inner_;
  int index_;
  std::shared_ptr<FaultState> state_;
  std::map<const backend::Task*, Noted> noted_;
  std::vector<std::shared_ptr<void>> kept_;  ///< memory that late copies use
  std::unique_ptr<backend::Queue> late_;
  std::uint64_t compares_ = 0;  ///< recorded; every rank records as many
};

}  // namespace conccl::test
