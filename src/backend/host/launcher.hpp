// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HostLauncher`: pools do a queue's work.
#pragma once

#include <string>
#include <utility>

#include "backend/host/pool.hpp"
#include "backend/host/queued_work.hpp"

namespace conccl::backend::host {

/// Where one kind of a queue's work goes. `units` is the pool's row of the log.
struct Route {
  Pool* pool = nullptr;
  Placement placement;
  SpanLog::Unit* units = nullptr;
};

/// Copies go to the queue's engine; tasks always to compute units. Pools and log must outlive it.
struct Target {
  std::string label;
  Route copies;
  Route tasks;
  const SpanLog* log = nullptr;
};

class HostLauncher final : public threaded::Launcher {
 public:
  explicit HostLauncher(Target target) : target_(std::move(target)) {}

  [[nodiscard]] bool accepts(const Task& task) const override;
  void run(std::span<const Op> work, const Marks& marks) override;

 private:
  void run_on(const Route& route, QueuedWork& work, const Marks& marks);

  Target target_;
  CopyBatch copies_;
};

}  // namespace conccl::backend::host
