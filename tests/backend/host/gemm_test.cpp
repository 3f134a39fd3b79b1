// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/host/gemm.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "backend/host/blas.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::host {
namespace {

void run_all(HostGemm& gemm) {
  for (std::size_t tile = 0; tile < gemm.tiles(); ++tile) gemm.run_tile(tile);
}

/// Largest error of the result over the bound k eps sum |a| |b| of a sum in any order.
double worst_relative_error(const HostGemm& gemm) {
  const auto [m, n, k] = gemm.shape();
  double worst = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double exact = 0;
      double magnitude = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        const double term = static_cast<double>(gemm.a()[i * k + l]) * gemm.b()[l * n + j];
        exact += term;
        magnitude += std::abs(term);
      }
      const double bound = static_cast<double>(k) * 0x1p-23 * magnitude + 1e-30;
      worst = std::max(worst, std::abs(gemm.c()[i * n + j] - exact) / bound);
    }
  }
  return worst;
}

TEST(HostGemm, AgreesWithTheDefinition) {
  Arena arena(0);
  for (const GemmShape& shape : {GemmShape{1, 1, 1},
                                 {16, 16, 16},
                                 {17, 33, 5},
                                 {300, 1, 64},
                                 {1, 300, 40},
                                 {200, 130, 70},
                                 {16, 1000, 37},
                                 {129, 129, 1}}) {
    HostGemm gemm(shape, 3, arena);
    run_all(gemm);
    EXPECT_LE(worst_relative_error(gemm), 1.0) << to_string(shape);
  }
}

TEST(HostGemm, OperandsAreRandomAndInRange) {
  Arena arena(0);
  const HostGemm gemm({64, 64, 64}, 3, arena);
  const HostGemm other({64, 64, 64}, 4, arena);
  double sum = 0;
  int equal = 0;
  for (int i = 0; i < 64 * 64; ++i) {
    ASSERT_GE(gemm.a()[i], -1.0F);
    ASSERT_LT(gemm.a()[i], 1.0F);
    sum += gemm.a()[i];
    equal += gemm.a()[i] == gemm.b()[i] || gemm.a()[i] == other.a()[i] ? 1 : 0;
  }
  EXPECT_LT(std::abs(sum / (64 * 64)), 0.1);
  EXPECT_LT(equal, 10);
}

TEST(HostGemm, ConcurrentTilesGiveTheSameBits) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 300;
  Arena arena(0);
  HostGemm gemm({64, 64, 24}, 3, arena);
  run_all(gemm);
  gemm.keep_reference();
  for (int round = 0; round < kRounds; ++round) {
    gemm.poison_result();
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (std::size_t tile = next++; tile < gemm.tiles(); tile = next++) gemm.run_tile(tile);
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(gemm.mismatches(), 0U) << "round " << round;
  }
}

TEST(HostGemm, AMissingTileAndAFlippedBitShow) {
  Arena arena(0);
  HostGemm gemm({100, 100, 8}, 3, arena);
  EXPECT_THROW((void)gemm.mismatches(), BrokenInvariant);
  run_all(gemm);
  gemm.keep_reference();
  EXPECT_EQ(gemm.mismatches(), 0U);
  gemm.poison_result();
  for (std::size_t tile = 1; tile < gemm.tiles(); ++tile) gemm.run_tile(tile);
  EXPECT_GT(gemm.mismatches(), 0U);
  run_all(gemm);
  EXPECT_EQ(gemm.mismatches(), 0U);
}

RC_GTEST_PROP(TileGrid, CoversTheResultOnceWithTilesToShare, ()) {
  const auto extent = rc::gen::inRange<std::int64_t>(1, 20000);
  const GemmShape shape{*extent, *extent, 64};
  const TileGrid grid = tile_grid(shape);
  RC_ASSERT(grid.rows >= 1 && grid.columns >= 1);
  RC_ASSERT(grid.down * grid.rows >= shape.m && (grid.down - 1) * grid.rows < shape.m);
  RC_ASSERT(grid.across * grid.columns >= shape.n && (grid.across - 1) * grid.columns < shape.n);
  RC_ASSERT(grid.rows * grid.columns <= 4 * 128 * 128);
  RC_ASSERT(grid.down * grid.across >= 32 || grid.rows * grid.columns <= 16 * 16 * 4);
}

/// Small products spend most of their time where a library without locks hands out its buffers.
TEST(Blas, ConcurrentCallsDoNotDisturbOneAnother) {
  constexpr std::int64_t kEdge = 40;
  constexpr int kCalls = 40000;
  Arena arena(0);
  const HostGemm operands({kEdge, kEdge, kEdge}, 5, arena);
  const auto multiply = [&operands](std::vector<float>& c) {
    sgemm({kEdge, kEdge, kEdge, operands.a(), kEdge, operands.b(), kEdge, c.data(), kEdge});
  };
  std::vector<float> expected(kEdge * kEdge);
  multiply(expected);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      std::vector<float> c(expected.size());
      for (int call = 0; call < kCalls; ++call) {
        multiply(c);
        if (c != expected) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Blas, TheKernelIsNamed) {
  const BlasInfo info = blas_info();
  EXPECT_EQ(info.library.rfind("OpenBLAS ", 0), 0U) << info.library;
  EXPECT_NE(info.library.find("kernel " + info.kernel), std::string::npos);
}

TEST(Blas, AKernelOlderThanTheCpuIsWarnedAbout) {
  EXPECT_EQ(kernel_warning("SkylakeX", VectorLevel::avx512), "");
  EXPECT_EQ(kernel_warning("Cooperlake", VectorLevel::avx2), "");
  EXPECT_EQ(kernel_warning("Zen", VectorLevel::avx2), "");
  EXPECT_EQ(kernel_warning("Prescott", VectorLevel::sse), "");
  EXPECT_NE(kernel_warning("Haswell", VectorLevel::avx512).find("OPENBLAS_CORETYPE=SkylakeX"),
            std::string::npos);
  EXPECT_NE(kernel_warning("Prescott", VectorLevel::avx2).find("OPENBLAS_CORETYPE=Haswell"),
            std::string::npos);
}

}  // namespace
}  // namespace conccl::backend::host
