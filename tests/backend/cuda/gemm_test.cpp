// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Products of random operands against their definition, in every type. Operands and results are
/// read back and decoded here, bit by bit.

#include "backend/cuda/gemm.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "conccl/core/errors.hpp"
#include "tests/backend/cuda/support.hpp"

namespace conccl::backend::cuda {
namespace {

using Kind = plan::Share::Kind;

constexpr std::uint64_t kSeed = 5;
constexpr GemmShape kShape{80, 48, 512};

/// A binary format with a sign, and subnormal numbers.
struct Format {
  Bytes bytes;
  int exponent_bits;
  int fraction_bits;
};

constexpr Format kBf16{2, 8, 7};
constexpr Format kFp16{2, 5, 10};
constexpr Format kE4m3{1, 4, 3};

double decoded(const Format& format, unsigned bits) {
  const int sign_at = format.exponent_bits + format.fraction_bits;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> format.fraction_bits) % (1 << format.exponent_bits);
  const int fraction = static_cast<int>(bits) % (1 << format.fraction_bits);
  const int hidden = exponent == 0 ? 0 : 1 << format.fraction_bits;
  const double size =
      std::ldexp(hidden + fraction, std::max(exponent, 1) - bias - format.fraction_bits);
  return bits >> sign_at != 0 ? -size : size;
}

/// The most that rounding to the format moves a value.
double half_step(const Format& format, double value) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int exponent = value == 0 ? 1 - bias : std::max(std::ilogb(value), 1 - bias);
  return std::ldexp(0.5, exponent - format.fraction_bits);
}

/// What a type is made of, and how exact the library's sums are.
struct TypeCase {
  GemmType type;
  Format operand;
  Format result;
  /// The most that one addition loses, as a part of the largest number in it. Hopper adds products
  /// of fp8 with 13 bits of fraction, the others' as fp32 without rounding up.
  double lost_per_addition;
  double typical;  ///< root mean square of the error over that of the result: at most
};

const TypeCase kCases[] = {
    {GemmType::bf16, kBf16, kBf16, 0x1p-22, 0x1p-8},
    {GemmType::fp16, kFp16, kFp16, 0x1p-22, 0x1p-11},
    {GemmType::fp8, kE4m3, kBf16, 0x1p-13, 0x1p-7},
};

void PrintTo(const TypeCase& type, std::ostream* out) { *out << name_of(type.type); }

struct Matrix {
  std::int64_t columns;
  std::vector<double> values;
  [[nodiscard]] double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

class Products : public CudaTest, public testing::WithParamInterface<TypeCase> {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!backend().capabilities().gemms.contains(GetParam().type)) {
      GTEST_SKIP() << "this GPU or its BLAS has no such GEMM";
    }
    made_ = make(kSeed);
    ASSERT_NE(dynamic_cast<const CudaGemm*>(made_.get()), nullptr);
  }

  [[nodiscard]] std::unique_ptr<Gemm> make(std::uint64_t seed) {
    return first().make_gemm({kShape, GetParam().type}, seed);
  }
  [[nodiscard]] const CudaGemm& gemm() const { return dynamic_cast<const CudaGemm&>(*made_); }
  void run_on(const plan::Share& share) {
    made_->poison_result();
    const auto lane = queue(plan::Engine::compute, share);
    lane->compute(*made_, {});
    finish(*lane);
  }

  [[nodiscard]] std::vector<unsigned char> download(const Memory& memory) {
    std::vector<unsigned char> bytes(memory.bytes());
    const auto lane = queue(plan::Engine::dma);
    lane->copy(bytes.data(), memory.data(), memory.bytes(), {});
    finish(*lane);
    return bytes;
  }

  [[nodiscard]] Matrix read(const Memory& memory, const Format& format, std::int64_t columns) {
    const auto bytes = download(memory);
    Matrix matrix{columns, {}};
    for (std::size_t at = 0; at < bytes.size(); at += format.bytes) {
      unsigned bits = bytes[at];
      if (format.bytes == 2) bits |= static_cast<unsigned>(bytes[at + 1]) << 8;
      matrix.values.push_back(decoded(format, bits));
    }
    return matrix;
  }

  /// The operands are exact in double, and so are their products and sums, all but.
  void expect_true_product() {
    const auto& [type, operand, result, lost, typical] = GetParam();
    const bool by_columns = b_is_transposed(type);
    const Matrix a = read(gemm().a(), operand, kShape.k);
    const Matrix b = read(gemm().b(), operand, by_columns ? kShape.k : kShape.n);
    const Matrix c = read(gemm().c(), result, kShape.n);
    double squared_error = 0;
    double squared = 0;
    for (std::int64_t row = 0; row < kShape.m; ++row) {
      for (std::int64_t column = 0; column < kShape.n; ++column) {
        double exact = 0;
        double largest = 1;
        for (std::int64_t l = 0; l < kShape.k; ++l) {
          exact += a.at(row, l) * (by_columns ? b.at(column, l) : b.at(l, column));
          largest = std::max(largest, std::abs(exact));
        }
        const double error = std::abs(c.at(row, column) - exact);
        const double sums = lost * static_cast<double>(kShape.k) * largest;
        ASSERT_LE(error, half_step(result, std::abs(exact) + sums) + sums)
            << "row " << row << ", column " << column << ": " << exact;
        squared_error += error * error;
        squared += exact * exact;
      }
    }
    EXPECT_LT(std::sqrt(squared_error / squared), typical);
  }

  std::unique_ptr<Gemm> made_;
};

TEST_P(Products, MatricesHaveTheSizesOfTheirTypes) {
  const auto elements = [](std::int64_t a, std::int64_t b) { return static_cast<Bytes>(a * b); };
  EXPECT_EQ(gemm().type(), GetParam().type);
  EXPECT_EQ(gemm().a().bytes(), elements(kShape.m, kShape.k) * GetParam().operand.bytes);
  EXPECT_EQ(gemm().b().bytes(), elements(kShape.k, kShape.n) * GetParam().operand.bytes);
  EXPECT_EQ(gemm().c().bytes(), elements(kShape.m, kShape.n) * GetParam().result.bytes);
}

/// The numbers before rounding are those of a pattern: the host knows them.
TEST_P(Products, OperandsAreUniformNumbersRounded) {
  const Format& format = GetParam().operand;
  int index = 0;
  for (const Memory* operand : {&gemm().a(), &gemm().b()}) {
    const Matrix found = read(*operand, format, 1);
    const Pattern pattern{index++, kSeed};
    double sum = 0;
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      const auto bits = static_cast<std::int32_t>(pattern_word(pattern, i) >> 32);
      const double wanted = std::ldexp(bits >> 8, -23);
      ASSERT_LE(std::abs(found.values[i] - wanted), half_step(format, std::abs(wanted)))
          << "element " << i << " is " << found.values[i] << ", expected about " << wanted;
      sum += found.values[i];
    }
    EXPECT_LT(std::abs(sum) / static_cast<double>(found.values.size()), 0.05);
  }
}

TEST_P(Products, AgreeWithTheDefinitionOnEveryShare) {
  const int step = backend().capabilities().unit_step;
  for (const auto share : {plan::Share{Kind::all, 0}, {Kind::only, step}, {Kind::all_but, step}}) {
    SCOPED_TRACE(share.units);
    run_on(share);
    expect_true_product();
  }
}

TEST_P(Products, AreTheSameBitsEveryTime) {
  constexpr int kRuns = 20;
  run_on({});
  made_->keep_reference();
  const auto expected = download(gemm().c());
  for (int i = 0; i < kRuns; ++i) {
    run_on({});
    ASSERT_EQ(made_->mismatches(), 0U);
  }
  made_ = make(kSeed);
  run_on({});
  EXPECT_EQ(download(gemm().c()), expected) << "another GEMM of the same seed";
  made_ = make(kSeed + 1);
  run_on({});
  EXPECT_NE(download(gemm().c()), expected) << "another seed";
}

/// A share whose algorithm adds in another order has a reference of its own.
TEST_P(Products, EveryBudgetHasItsReference) {
  const auto& capabilities = backend().capabilities();
  run_on({});
  made_->keep_reference();
  for (int units = capabilities.unit_step; units <= capabilities.compute_units / 2;
       units += capabilities.unit_step) {
    run_on({Kind::all_but, units});
    ASSERT_EQ(made_->mismatches(), 0U) << "all but " << units << ": " << made_->algorithm();
    EXPECT_THAT(made_->algorithm(), testing::HasSubstr("algorithm"));
  }
}

TEST_P(Products, AWrongByteShows) {
  run_on({});
  made_->keep_reference();
  made_->poison_result();
  const auto wrong = made_->mismatches();
  EXPECT_GT(wrong, gemm().c().bytes() / 2);
  EXPECT_LE(wrong, gemm().c().bytes());
}

INSTANTIATE_TEST_SUITE_P(Cuda, Products, testing::ValuesIn(kCases),
                         [](const auto& entry) { return std::string(name_of(entry.param.type)); });

using Offers = CudaTest;

TEST_F(Offers, EveryTypeHasAPeak) {
  const auto& machine = backend().machine();
  const auto& gemms = backend().capabilities().gemms;
  EXPECT_EQ(machine.device.peak_tflops.size(), gemms.size());
  for (const auto& [type, offer] : gemms) {
    const std::string name(name_of(type));
    ASSERT_TRUE(machine.device.peak_tflops.contains(name));
    EXPECT_GT(machine.device.peak_tflops.at(name), 0);
    EXPECT_TRUE(machine.sources.contains("device.peak_tflops." + name));
  }
}

TEST_F(Offers, Fp8IsThereFromAdaOn) {
  GpuFacts facts = gpu()->facts();
  EXPECT_GE(facts.architecture, 80);
  EXPECT_EQ(gemm_offers(facts).contains(GemmType::fp8), facts.architecture >= 89);
  facts.architecture = 86;
  EXPECT_FALSE(gemm_offers(facts).contains(GemmType::fp8));
  EXPECT_FALSE(gemm_offers(facts).contains(GemmType::fp32));
}

TEST_F(Offers, Fp8OfOddDimensionsIsRefused) {
  if (!backend().capabilities().gemms.contains(GemmType::fp8)) GTEST_SKIP() << "no fp8 here";
  for (const GemmShape& shape : {GemmShape{8, 16, 16}, {16, 24, 16}, {16, 16, 40}}) {
    try {
      (void)first().make_gemm({shape, GemmType::fp8}, 1);
      FAIL() << "made " << to_string(shape);
    } catch (const Unavailable& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("multiples of 16"));
    }
  }
}

}  // namespace
}  // namespace conccl::backend::cuda
