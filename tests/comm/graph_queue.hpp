// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `GraphQueue`: a queue that can be captured, over one that cannot; `Graph`: what was captured.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "conccl/backend/queue.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::test {

/// Operations to be recorded again on every launch, and what they need.
struct Graph {
  std::vector<std::function<void(backend::Queue&)>> operations;
  std::vector<std::shared_ptr<void>> kept;
};

/// Does what the queue of a device with graphs does. It takes every lane inside, so that none is
/// recorded elsewhere.
class GraphQueue final : public backend::Queue {
 public:
  explicit GraphQueue(std::unique_ptr<backend::Queue> inner) : inner_(std::move(inner)) {}

  void begin() { graph_ = std::make_unique<Graph>(); }
  [[nodiscard]] Graph end() { return std::move(*std::exchange(graph_, nullptr)); }
  /// Everything captured is lost, and the queue takes nothing until `end`.
  void fail() { broken_ = true; }
  void launch(const Graph& graph) {
    for (const auto& operation : graph.operations) operation(*inner_);
    inner_->submit();
  }

  void copy(void* dst, const void* src, Bytes bytes, backend::Origin origin) override {
    take([=](backend::Queue& queue) { queue.copy(dst, src, bytes, origin); });
  }
  void signal(backend::FlagRef flag, std::uint64_t value) override {
    take([=](backend::Queue& queue) { queue.signal(flag, value); });
  }
  void wait(backend::FlagRef flag, std::uint64_t value) override {
    take([=](backend::Queue& queue) { queue.wait(flag, value); });
  }
  void compute(backend::Task& task, backend::Origin origin) override {
    take([&task, origin](backend::Queue& queue) { queue.compute(task, origin); });
  }
  void timestamp(backend::Timestamp& slot) override {
    if (graph_) throw InputError("a timestamp is captured");
    inner_->timestamp(slot);
  }
  void after(backend::Queue& other) override { inner_->after(other); }
  [[nodiscard]] bool serves(plan::Engine /*engine*/) const override { return true; }
  void act_as(const backend::QueueSpec* /*lane*/) override {}
  void submit() override {
    if (!graph_) inner_->submit();
  }
  [[nodiscard]] std::uint64_t capture() const override {
    if (broken_) return kBrokenCapture;
    return graph_ ? 1 : 0;
  }
  void keep(std::shared_ptr<void> what) override { graph_->kept.push_back(std::move(what)); }
  [[nodiscard]] bool synchronize(std::chrono::nanoseconds limit) override {
    return inner_->synchronize(limit);
  }

 private:
  void take(std::function<void(backend::Queue&)> operation) {
    if (graph_) {
      graph_->operations.push_back(std::move(operation));
    } else {
      operation(*inner_);
    }
  }

  std::unique_ptr<backend::Queue> inner_;
  std::unique_ptr<Graph> graph_;
  bool broken_ = false;
};

}  // namespace conccl::test
