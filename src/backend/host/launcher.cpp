// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/launcher.hpp"

namespace conccl::backend::host {

bool HostLauncher::accepts(const Task& task) const {
  return dynamic_cast<const Tiled*>(&task) != nullptr;
}

void HostLauncher::run(std::span<const Op> work, const Marks& marks) {
  if (const auto* compute = std::get_if<threaded::ComputeOp>(&work.front())) {
    TaskRun run(dynamic_cast<Tiled&>(*compute->task), compute->origin);
    run_on(target_.tasks, run, marks);
  } else {
    copies_.assign(work);
    run_on(target_.copies, copies_, marks);
  }
}

void HostLauncher::run_on(const Route& route, QueuedWork& work, const Marks& marks) {
  work.set_marks(marks);
  const SpanSink sink{route.units, &target_.label};
  route.pool->run(work, route.placement, target_.log->recording() ? &sink : nullptr);
}

}  // namespace conccl::backend::host
