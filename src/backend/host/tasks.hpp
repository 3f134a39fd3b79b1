// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Fill, poison and compare, in tiles.
#pragma once

#include <mutex>
#include <vector>

#include "backend/host/work.hpp"
#include "backend/poison.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::host {

/// Stretches cut into pieces of at most 1 MiB, so that every unit gets some.
[[nodiscard]] std::vector<Stretch> tiles_of(const std::vector<Stretch>& stretches);

class FillTask final : public Task, public Tiled {
 public:
  FillTask(void* data, const std::vector<Stretch>& stretches);
  [[nodiscard]] std::size_t tiles() const override { return tiles_.size(); }
  void run_tile(std::size_t tile) override;

 private:
  std::byte* data_;
  std::vector<Stretch> tiles_;
};

class PoisonTask final : public Task, public Tiled {
 public:
  PoisonTask(void* data, Bytes bytes);
  [[nodiscard]] std::size_t tiles() const override { return tiles_.size(); }
  void run_tile(std::size_t tile) override;

 private:
  std::byte* data_;
  std::vector<Stretch> tiles_;
};

class CompareTask final : public Task, public Tiled {
 public:
  CompareTask(const void* data, const std::vector<Stretch>& stretches, Comparison& result);
  void prepare() override { result_ = {}; }
  [[nodiscard]] std::size_t tiles() const override { return tiles_.size(); }
  void run_tile(std::size_t tile) override;

 private:
  const std::byte* data_;
  std::vector<Stretch> tiles_;
  std::mutex mutex_;
  Comparison& result_;
};

}  // namespace conccl::backend::host
