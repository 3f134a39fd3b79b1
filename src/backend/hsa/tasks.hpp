// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a queue of this backend runs on compute units.
#pragma once

#include <span>
#include <vector>

#include "backend/hsa/compute.hpp"
#include "backend/threaded/op.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::hsa {

/// The HSA backend's side of a `Task`: a class that is a Task is also this. Called by a queue's
/// thread, `finish` after `start`.
class Runnable {
 public:
  virtual ~Runnable() = default;

  virtual void start(ComputeLane& lane) = 0;
  /// Waits until it has ended. Throws threaded::DeviceFailed when it does not.
  virtual void finish(ComputeLane& lane) = 0;
};

class FillTask final : public Task, public Runnable {
 public:
  FillTask(void* data, std::vector<Stretch> stretches);
  void start(ComputeLane& lane) override;
  void finish(ComputeLane& lane) override;

 private:
  unsigned char* data_;
  std::vector<Stretch> stretches_;
};

class PoisonTask final : public Task, public Runnable {
 public:
  PoisonTask(void* data, Bytes bytes) : data_(static_cast<unsigned char*>(data)), bytes_(bytes) {}
  void start(ComputeLane& lane) override;
  void finish(ComputeLane& lane) override { lane.finish(bytes_); }

 private:
  unsigned char* data_;
  Bytes bytes_;
};

class CompareTask final : public Task, public Runnable {
 public:
  CompareTask(std::shared_ptr<const TallySlot> slot, const void* data,
              std::vector<Stretch> stretches, Comparison& result);
  void start(ComputeLane& lane) override;
  void finish(ComputeLane& lane) override;

 private:
  std::shared_ptr<const TallySlot> slot_;
  unsigned char* data_;
  std::vector<Stretch> stretches_;
  Comparison& result_;
};

/// A queue's copies by a kernel.
class KernelCopies final : public Runnable {
 public:
  explicit KernelCopies(std::span<const threaded::Op> copies) : copies_(copies) {}
  void start(ComputeLane& lane) override;
  void finish(ComputeLane& lane) override;

 private:
  std::span<const threaded::Op> copies_;
};

}  // namespace conccl::backend::hsa
