// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HsaLauncher`: SDMA engines and kernels do a queue's work.
#pragma once

#include <memory>

#include "backend/hsa/copies.hpp"
#include "backend/hsa/tasks.hpp"

namespace conccl::backend::hsa {

class HsaLauncher final : public threaded::Launcher {
 public:
  /// Copies go to SDMA engines or, if `engine` is compute, to a kernel; tasks to `compute`.
  HsaLauncher(CopySite site, plan::Engine engine, std::unique_ptr<ComputeLane> compute);

  [[nodiscard]] bool accepts(const Task& task) const override;
  void demand_sound() const override;
  void run(std::span<const threaded::Op> work, const threaded::Marks& marks) override;

 private:
  void run_sound(std::span<const threaded::Op> work, const threaded::Marks& marks);
  void run_on_units(Runnable& task, std::span<const threaded::Op> work,
                    const threaded::Marks& marks);
  void record(std::span<const threaded::Op> work, Nanoseconds start, Nanoseconds end);

  CopySite site_;
  plan::Engine engine_;
  std::unique_ptr<ComputeLane> compute_;
};

}  // namespace conccl::backend::hsa
