// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/launcher.hpp"

#include <utility>

namespace conccl::backend::hsa {
namespace {

using threaded::Marks;
using threaded::Op;

}  // namespace

HsaLauncher::HsaLauncher(CopySite site, plan::Engine engine, std::unique_ptr<ComputeLane> compute)
    : site_(std::move(site)), engine_(engine), compute_(std::move(compute)) {}

bool HsaLauncher::accepts(const Task& task) const {
  return dynamic_cast<const Runnable*>(&task) != nullptr;
}

void HsaLauncher::demand_sound() const {
  try {
    site_.runtime->gpu(site_.gpu).failure.require_none();
  } catch (const RunError& error) {
    throw threaded::DeviceFailed(error.what());
  }
}

void HsaLauncher::run(std::span<const Op> work, const Marks& marks) {
  demand_sound();
  try {
    run_sound(work, marks);
  } catch (const threaded::DeviceFailed&) {
    throw;
  } catch (...) {
    // Nothing of it was handed over, or it would be the device's failure.
    threaded::give_up(marks.before);
    threaded::give_up(marks.after);
    throw;
  }
}

void HsaLauncher::run_sound(std::span<const Op> work, const Marks& marks) {
  if (const auto* compute = std::get_if<threaded::ComputeOp>(&work.front())) {
    run_on_units(dynamic_cast<Runnable&>(*compute->task), work, marks);
    return;
  }
  if (engine_ == plan::Engine::compute) {
    KernelCopies copies(work);
    run_on_units(copies, work, marks);
    return;
  }
  CopyBatch batch(site_);
  batch.submit(work);
  threaded::perform(marks.before);
  batch.finish();
  threaded::perform(marks.after);
}

void HsaLauncher::run_on_units(Runnable& task, std::span<const Op> work, const Marks& marks) {
  const Nanoseconds start = steady_now();
  task.start(*compute_);
  threaded::perform(marks.before);
  task.finish(*compute_);
  if (site_.log->recording()) record(work, start, steady_now());
  threaded::perform(marks.after);
}

void HsaLauncher::record(std::span<const Op> work, Nanoseconds start, Nanoseconds end) {
  for (const Op& op : work) {
    const auto* copy = std::get_if<threaded::CopyOp>(&op);
    const Origin origin = copy != nullptr ? copy->origin : std::get<threaded::ComputeOp>(op).origin;
    site_.log->add({origin.rank, site_.label, origin.step, "compute", start, end,
                    copy != nullptr ? copy->bytes : 0});
  }
}

}  // namespace conccl::backend::hsa
