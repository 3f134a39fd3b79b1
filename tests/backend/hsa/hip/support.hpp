// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A backend on the doubles of the HSA runtime, HIP and rocBLAS, and streams as a caller makes
/// them.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "backend/hsa/hip/calls.hpp"
#include "tests/backend/hsa/support.hpp"
#include "tests/fakes/hip/control.hpp"

namespace conccl::backend::hsa::hip {

/// Of the double of HIP.
extern const char* const kFakeHipPath;

/// The caller's side of HIP.
class Caller {
 public:
  explicit Caller(const test::FakeHip& fake) {
    fake.find("hipSetDevice", set_device_);
    fake.find("hipStreamCreateWithPriority", create_);
    fake.find("hipStreamDestroy", destroy_);
    fake.find("hipStreamQuery", query_);
    fake.find("hipLaunchHostFunc", launch_);
  }

  void set_device(int ordinal) const { ASSERT_EQ(set_device_(ordinal), abi::hipSuccess); }
  /// Of the current device.
  [[nodiscard]] std::shared_ptr<ihipStream_t> stream() const {
    abi::hipStream_t made = nullptr;
    EXPECT_EQ(create_(&made, abi::hipStreamNonBlocking, 0), abi::hipSuccess);
    return {made, [this](abi::hipStream_t dead) { (void)destroy_(dead); }};
  }
  /// What stands for a kernel.
  void launch(abi::hipStream_t stream, std::function<void()> work) const {
    const auto run = [](void* data) {
      const std::unique_ptr<std::function<void()>> held(static_cast<std::function<void()>*>(data));
      (*held)();
    };
    ASSERT_EQ(launch_(stream, run, new std::function<void()>(std::move(work))), abi::hipSuccess);
  }
  [[nodiscard]] bool idle(abi::hipStream_t stream) const {
    return query_(stream) == abi::hipSuccess;
  }
  /// False: not within the limit.
  [[nodiscard]] bool synchronize(abi::hipStream_t stream,
                                 std::chrono::milliseconds limit = kLimit) const {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (!idle(stream)) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return true;
  }

 private:
  decltype(&abi::hipSetDevice) set_device_ = nullptr;
  decltype(&abi::hipStreamCreateWithPriority) create_ = nullptr;
  decltype(&abi::hipStreamDestroy) destroy_ = nullptr;
  decltype(&abi::hipStreamQuery) query_ = nullptr;
  abi::hipError_t (*launch_)(abi::hipStream_t, void (*)(void*), void*) = nullptr;
};

class OnDoubles : public OnDouble {
 protected:
  [[nodiscard]] test::FakeHip& fake_hip() { return fake_hip_; }
  [[nodiscard]] const Caller& caller() const { return caller_; }

  [[nodiscard]] std::vector<std::string> warnings_with(const std::string& text) {
    std::vector<std::string> found;
    for (const std::string& warning : backend().capabilities().warnings) {
      if (warning.find(text) != std::string::npos) found.push_back(warning);
    }
    return found;
  }

 private:
  test::FakeHip fake_hip_{kFakeHipPath};
  Caller caller_{fake_hip_};
};

}  // namespace conccl::backend::hsa::hip
