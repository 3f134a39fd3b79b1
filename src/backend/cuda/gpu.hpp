// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Gpu`: what all ranks of this process on one GPU share.
#pragma once

#include <map>
#include <memory>

#include "backend/cuda/clock.hpp"
#include "backend/cuda/facts.hpp"
#include "backend/cuda/harvest.hpp"
#include "backend/cuda/partition.hpp"
#include "backend/cuda/retired_pages.hpp"
#include "backend/cuda/slots.hpp"
#include "conccl/plan/plan.hpp"

namespace conccl::backend::cuda {

/// Holds the GPU's primary context, the one of the CUDA runtime. Any thread may call it.
class Gpu {
 public:
  explicit Gpu(GpuFacts facts);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  [[nodiscard]] const GpuFacts& facts() const { return facts_; }
  [[nodiscard]] int ordinal() const { return facts_.ordinal; }
  [[nodiscard]] CUcontext context() const { return primary_.context; }
  [[nodiscard]] const Kernels& kernels() const { return parts_->kernels; }
  [[nodiscard]] EventPool& events() { return parts_->events; }
  /// Events that order and tell no time.
  [[nodiscard]] EventPool& marks() { return parts_->marks; }
  [[nodiscard]] DeviceClock& clock() { return parts_->clock; }
  [[nodiscard]] Harvest& harvest() { return parts_->harvest; }
  [[nodiscard]] RetiredPages& retired() { return parts_->retired; }
  [[nodiscard]] Slots& slots() { return parts_->slots; }

  [[nodiscard]] Stream make_stream(plan::Priority priority) const;
  /// With `units` on one side, a multiple of the GPU's step. All are made when the GPU is
  /// opened, some fifty milliseconds. Throws Unavailable when the driver makes no such split.
  [[nodiscard]] const Partition& partition(int units) const;
  [[nodiscard]] int driver_priority(plan::Priority priority) const;

  /// Lets kernels and copies of this context reach memory of `other`'s.
  void reach(const Gpu& other) const;
  /// Delivers what streams have passed.
  void gather();

 private:
  struct Primary {
    explicit Primary(const GpuFacts& facts);
    ~Primary();
    Primary(const Primary&) = delete;
    Primary& operator=(const Primary&) = delete;
    CUdevice device;
    CUcontext context = nullptr;
  };
  struct Priorities {
    int least = 0;
    int greatest = 0;
  };
  struct Parts {
    Parts(const GpuFacts& gpu, Stream clock_stream);
    Kernels kernels;
    EventPool events{CU_EVENT_DEFAULT};
    EventPool marks{CU_EVENT_DISABLE_TIMING};
    DeviceClock clock;
    Slots slots;
    RetiredPages retired;
    Harvest harvest;
    std::map<int, std::unique_ptr<Partition>> partitions;
  };

  void make_partitions();

  GpuFacts facts_;
  Primary primary_;
  Priorities priorities_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace conccl::backend::cuda
