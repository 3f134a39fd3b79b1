// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `HostGemm`: fp32 GEMM on a fixed grid of tiles, one single-threaded BLAS call each.
#pragma once

#include <vector>

#include "backend/host/memory.hpp"
#include "backend/host/work.hpp"
#include "conccl/backend/device.hpp"

namespace conccl::backend::host {

/// How the result is cut; a function of the shape alone, so that who runs the tiles, and how many
/// units there are, changes no bit of it.
struct TileGrid {
  std::int64_t rows = 0;  ///< of a tile; the last ones may be smaller
  std::int64_t columns = 0;
  std::int64_t down = 0;  ///< tiles
  std::int64_t across = 0;
};

[[nodiscard]] TileGrid tile_grid(const GemmShape& shape);

/// Everything is computed in fp32; bf16, the type of most suites, is emulated by it.
[[nodiscard]] GemmOffers gemm_offers();

class HostGemm final : public Gemm, public Tiled {
 public:
  /// Operands are uniform in [-1, 1).
  HostGemm(const GemmShape& shape, std::uint64_t seed, Arena& arena);

  [[nodiscard]] const GemmShape& shape() const override { return shape_; }
  [[nodiscard]] GemmType type() const override { return GemmType::fp32; }
  [[nodiscard]] std::uint64_t mismatches() const override;
  void keep_reference() override;
  void poison_result() override;
  [[nodiscard]] std::string algorithm() const override;
  void set_operands(Operands operands) override;

  [[nodiscard]] std::size_t tiles() const override;
  void run_tile(std::size_t tile) override;

  [[nodiscard]] const float* a() const { return static_cast<const float*>(a_.data()); }
  [[nodiscard]] const float* b() const { return static_cast<const float*>(b_.data()); }
  [[nodiscard]] const float* c() const { return static_cast<const float*>(c_.data()); }

 private:
  void fill_operands();

  GemmShape shape_;
  std::uint64_t seed_;
  Operands operands_ = Operands::random;
  TileGrid grid_;
  Memory a_;
  Memory b_;
  Memory c_;
  std::vector<std::byte> reference_;
};

}  // namespace conccl::backend::host
