// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "backend/hsa/memory.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::hip {
namespace {

using SteadyClock = std::chrono::steady_clock;

// While one waits for a stream: quick looks, then naps between them.
constexpr std::chrono::milliseconds kQuickLooks{2};
constexpr std::chrono::microseconds kLookNap{20};
constexpr std::chrono::seconds kAfterFailure{1};
constexpr double kSlowestFlopsPerNs = 1e3;

Bytes matrix(std::int64_t rows, std::int64_t columns, Bytes element) {
  return checked_product(
      checked_product(static_cast<Bytes>(rows), static_cast<Bytes>(columns), "matrix"), element,
      "matrix");
}

abi::rocblas_datatype datatype(GemmType type) {
  switch (type) {
    case GemmType::bf16:
      return abi::rocblas_datatype_bf16_r;
    case GemmType::fp16:
      return abi::rocblas_datatype_f16_r;
    case GemmType::fp32:
      return abi::rocblas_datatype_f32_r;
    case GemmType::fp8:
      break;
  }
  throw BrokenInvariant("a GEMM is of a type that is offered");
}

struct LateProducts {
  std::mutex mutex;
  std::vector<std::shared_ptr<Product>> products;
};

/// Never destroyed: a GPU may write at any time.
LateProducts& late_products() {
  static auto* const instance = new LateProducts;
  return *instance;
}

const RocblasCalls& rocblas_of(const Hip& hip) {
  if (hip.rocblas()) return hip.rocblas()->calls;
  throw Unavailable("no GEMM: " + hip.why_no_rocblas());
}

}  // namespace

Product::Product(std::shared_ptr<Hip> hip, int gpu, const GemmSpec& spec)
    : hip_(std::move(hip)),
      gpu_(gpu),
      spec_(spec),
      a_(allocate(hip_->runtime(), gpu,
                  matrix(spec.shape.m, spec.shape.k, operand_bytes(spec.type)))),
      b_(allocate(hip_->runtime(), gpu,
                  matrix(spec.shape.k, spec.shape.n, operand_bytes(spec.type)))),
      c_(allocate(hip_->runtime(), gpu,
                  matrix(spec.shape.m, spec.shape.n, result_bytes(spec.type)))),
      handle_(make_handle()) {}

Product::~Product() {
  if (lent_ != nullptr && has_ended()) hip_->gpu(gpu_).streams.give_back(lent_spec_, lent_);
}

std::shared_ptr<_rocblas_handle> Product::make_handle() const {
  const RocblasCalls& calls = rocblas_of(*hip_);
  const DeviceScope scope = hip_->enter(gpu_);
  abi::rocblas_handle handle = nullptr;
  check(calls, calls.rocblas_create_handle(&handle), {"rocblas_create_handle", gpu_});
  std::shared_ptr<_rocblas_handle> owner(
      handle, [&calls](abi::rocblas_handle made) { (void)calls.rocblas_destroy_handle(made); });
  check(calls, calls.rocblas_set_atomics_mode(handle, abi::rocblas_atomics_not_allowed),
        {"rocblas_set_atomics_mode", gpu_});
  return owner;
}

void Product::start(const StreamSpec& stream) {
  const DeviceScope scope = hip_->enter(gpu_);
  lent_ = hip_->gpu(gpu_).streams.take(stream);
  lent_spec_ = stream;
  const RocblasCalls& calls = rocblas_of(*hip_);
  check(calls, calls.rocblas_set_stream(handle_.get(), lent_), {"rocblas_set_stream", gpu_});
  multiply();
}

/// The library counts by columns, so it is given the transposed product C' = B' A'.
void Product::multiply() const {
  const RocblasCalls& calls = rocblas_of(*hip_);
  const auto type = datatype(spec_.type);
  const auto m = static_cast<abi::rocblas_int>(spec_.shape.m);
  const auto n = static_cast<abi::rocblas_int>(spec_.shape.n);
  const auto k = static_cast<abi::rocblas_int>(spec_.shape.k);
  const float one = 1;
  const float zero = 0;
  check(calls,
        calls.rocblas_gemm_ex(handle_.get(), abi::rocblas_operation_none,
                              abi::rocblas_operation_none, n, m, k, &one, b_.data(), type, n,
                              a_.data(), type, k, &zero, c_.data(), type, n, c_.data(), type, n,
                              abi::rocblas_datatype_f32_r, abi::rocblas_gemm_algo_standard, 0, 0),
        {"rocblas_gemm_ex", gpu_});
}

std::string Product::wait(SteadyClock::time_point until) {
  const HipCalls& calls = hip_->calls();
  const Failure& failure = hip_->runtime()->gpu(gpu_).failure;
  const auto begin = SteadyClock::now();
  for (bool failed = false;;) {
    const auto answer = calls.hipStreamQuery(lent_);
    if (answer == abi::hipSuccess) break;
    if (answer != abi::hipErrorNotReady) return text_of(calls, answer);
    const auto now = SteadyClock::now();
    if (now >= until) return "it has not ended in time";
    if (failure.declared() && !std::exchange(failed, true)) {
      until = std::min(until, now + kAfterFailure);
    }
    if (now - begin > kQuickLooks) {
      std::this_thread::sleep_for(kLookNap);
    } else {
      std::this_thread::yield();
    }
  }
  hip_->gpu(gpu_).streams.give_back(lent_spec_, std::exchange(lent_, nullptr));
  return {};
}

bool Product::has_ended() const {
  return lent_ == nullptr || hip_->calls().hipStreamQuery(lent_) == abi::hipSuccess;
}

SteadyClock::time_point Product::deadline() const {
  const std::chrono::nanoseconds computing(
      static_cast<std::int64_t>(flops(spec_.shape) / kSlowestFlopsPerNs));
  return SteadyClock::now() + hip_->runtime()->time_for(a_.bytes() + b_.bytes() + c_.bytes()) +
         computing;
}

std::string Product::describe() const { return gemm_library(*hip_); }

std::string gemm_library(const Hip& hip) {
  if (!hip.rocblas()) return {};
  return fmt::format("rocBLAS {} of HIP {}", hip.rocblas()->version, hip.library().version);
}

void keep_late(std::shared_ptr<Product> product) {
  const std::lock_guard lock(late_products().mutex);
  late_products().products.push_back(std::move(product));
}

std::size_t collect_late() {
  std::vector<std::shared_ptr<Product>> ended;
  const std::lock_guard lock(late_products().mutex);
  auto& products = late_products().products;
  const auto rest =
      std::ranges::partition(products, [](const auto& each) { return !each->has_ended(); });
  ended.assign(rest.begin(), rest.end());
  products.erase(rest.begin(), rest.end());
  return products.size();
}

}  // namespace conccl::backend::hsa::hip
