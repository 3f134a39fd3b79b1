// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A queue whose copies between ranks go wrong now and then.
#pragma once

#include "tests/cli/faulty/faulty_backend.hpp"

namespace conccl::test {

class FaultyQueue final : public backend::Queue {
 public:
  FaultyQueue(std::unique_ptr<backend::Queue> inner, FaultyDevice& device)
      : inner_(std::move(inner)), device_(device) {}

  void copy(void* dst, const void* src, Bytes bytes, backend::Origin origin) override;
  void signal(backend::FlagRef flag, std::uint64_t value) override { inner_->signal(flag, value); }
  void wait(backend::FlagRef flag, std::uint64_t value) override { inner_->wait(flag, value); }
  void compute(backend::Task& task, backend::Origin origin) override;
  void timestamp(backend::Timestamp& slot) override { inner_->timestamp(slot); }
  void after(backend::Queue& other) override;
  [[nodiscard]] bool serves(plan::Engine engine) const override { return inner_->serves(engine); }
  void act_as(const backend::QueueSpec* lane) override { inner_->act_as(lane); }
  void submit() override { inner_->submit(); }
  [[nodiscard]] std::uint64_t capture() const override { return inner_->capture(); }
  void keep(std::shared_ptr<void> what) override { inner_->keep(std::move(what)); }
  bool synchronize(std::chrono::nanoseconds limit) override { return inner_->synchronize(limit); }

 private:
  [[nodiscard]] bool is_hit(const void* dst, const void* src, Bytes bytes);

  std::unique_ptr<backend::Queue> inner_;
  FaultyDevice& device_;
};

}  // namespace conccl::test
