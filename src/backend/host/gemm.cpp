// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "backend/host/blas.hpp"
#include "backend/host/tasks.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

// A tile of 128 x 128 loses under a tenth of the speed of one large call and leaves enough tiles to
// hand out; long, low results get tiles of the same area.
constexpr std::int64_t kTileSide = 128;
// Tiles end on multiples of the widest BLAS kernel block.
constexpr std::int64_t kTileUnit = 16;
// Fewer tiles than this cannot be shared out evenly, so small results get smaller tiles.
constexpr std::int64_t kFewTiles = 32;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The edge nearest below `limit` that cuts `extent` into equal parts.
std::int64_t even_edge(std::int64_t extent, std::int64_t limit) {
  const std::int64_t parts = ceil_div(extent, limit);
  return std::min(extent, ceil_div(ceil_div(extent, parts), kTileUnit) * kTileUnit);
}

TileGrid grid_of_area(const GemmShape& shape, std::int64_t side) {
  TileGrid grid;
  grid.rows = even_edge(shape.m, side);
  grid.columns = even_edge(shape.n, std::max(side, side * side / grid.rows));
  if (shape.n < side) grid.rows = even_edge(shape.m, std::max(side, side * side / grid.columns));
  grid.down = ceil_div(shape.m, grid.rows);
  grid.across = ceil_div(shape.n, grid.columns);
  return grid;
}

Bytes matrix_bytes(std::int64_t rows, std::int64_t columns) {
  return checked_product(
      checked_product(static_cast<Bytes>(rows), static_cast<Bytes>(columns), "matrix"),
      sizeof(float), "matrix");
}

/// Uniform in [-1, 1).
void randomize(const Memory& matrix, const Pattern& seed) {
  auto* values = static_cast<float*>(matrix.data());
  const std::size_t count = matrix.bytes() / sizeof(float);
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<std::int32_t>(pattern_word(seed, i) >> 32);
    values[i] = static_cast<float>(bits >> 8) * 0x1p-23F;
  }
}

GemmShape checked(const GemmShape& shape) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t extent : {shape.m, shape.n, shape.k}) {
    if (extent < 1 || extent > kLimit) {
      throw InputError(
          fmt::format("make_gemm: {}, expected dimensions of 1 to {}", to_string(shape), kLimit));
    }
  }
  return shape;
}

}  // namespace

TileGrid tile_grid(const GemmShape& shape) {
  TileGrid grid = grid_of_area(shape, kTileSide);
  for (std::int64_t side = kTileSide / 2; side >= kTileUnit && grid.down * grid.across < kFewTiles;
       side /= 2) {
    grid = grid_of_area(shape, side);
  }
  return grid;
}

GemmOffers gemm_offers() {
  return {{GemmType::bf16, {GemmType::fp32}}, {GemmType::fp32, {GemmType::fp32}}};
}

HostGemm::HostGemm(const GemmShape& shape, std::uint64_t seed, Arena& arena)
    : shape_(checked(shape)),
      seed_(seed),
      grid_(tile_grid(shape)),
      a_(arena.allocate(matrix_bytes(shape.m, shape.k))),
      b_(arena.allocate(matrix_bytes(shape.k, shape.n))),
      c_(arena.allocate(matrix_bytes(shape.m, shape.n))) {
  fill_operands();
  poison_result();
}

void HostGemm::set_operands(Operands operands) {
  if (operands == operands_) return;
  operands_ = operands;
  fill_operands();
}

void HostGemm::fill_operands() {
  int index = 0;
  for (const Memory* operand : {&a_, &b_}) {
    if (operands_ == Operands::random) randomize(*operand, {index++, seed_});
    if (operands_ == Operands::zero) std::memset(operand->data(), 0, operand->bytes());
  }
}

std::uint64_t HostGemm::mismatches() const {
  if (operands_ == Operands::zero) {
    return c_.bytes() -
           static_cast<std::uint64_t>(std::count(c_.at(0), c_.at(c_.bytes()), std::byte{0}));
  }
  ensure_equal(reference_.size(), c_.bytes(), "bytes of the GEMM's reference and result");
  const std::byte* result = c_.at(0);
  if (std::memcmp(result, reference_.data(), reference_.size()) == 0) return 0;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < reference_.size(); ++i) count += result[i] != reference_[i] ? 1U : 0U;
  return count;
}

void HostGemm::keep_reference() {
  ensure(operands_ == Operands::random, "a reference is of the random operands");
  reference_.assign(c_.at(0), c_.at(c_.bytes()));
}

void HostGemm::poison_result() { std::memset(c_.data(), kPoisonByte, c_.bytes()); }

std::string HostGemm::algorithm() const {
  return fmt::format("{}, {} tiles of {}x{}", blas_info().library, tiles(), grid_.rows,
                     grid_.columns);
}

std::size_t HostGemm::tiles() const { return static_cast<std::size_t>(grid_.down * grid_.across); }

void HostGemm::run_tile(std::size_t tile) {
  const auto index = static_cast<std::int64_t>(tile);
  const std::int64_t row = index / grid_.across * grid_.rows;
  const std::int64_t column = index % grid_.across * grid_.columns;
  Product product;
  product.m = std::min(grid_.rows, shape_.m - row);
  product.n = std::min(grid_.columns, shape_.n - column);
  product.k = shape_.k;
  product.a = a() + row * shape_.k;
  product.a_stride = shape_.k;
  product.b = b() + column;
  product.b_stride = shape_.n;
  product.c = static_cast<float*>(c_.data()) + row * shape_.n + column;
  product.c_stride = shape_.n;
  sgemm(product);
}

}  // namespace conccl::backend::host
