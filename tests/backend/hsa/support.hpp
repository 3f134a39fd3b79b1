// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A backend on the double of the HSA runtime, opened when the double is set up.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "conccl/backend/hsa.hpp"
#include "conccl/core/errors.hpp"
#include "tests/fakes/hsa/control.hpp"
#include "tests/support/environment.hpp"

namespace conccl::backend::hsa {

inline constexpr std::chrono::seconds kLimit{30};

class OnDouble : public testing::Test {
 protected:
  /// What the double is told before it is opened.
  [[nodiscard]] test::FakeHsa& fake() { return fake_; }
  [[nodiscard]] test::Environment& environment() { return environment_; }

  [[nodiscard]] Backend& backend() {
    if (!backend_) backend_ = open_hsa();
    return *backend_;
  }
  void close() { backend_.reset(); }
  /// Nothing is wrong with the double any more, and all copies have ended.
  void heal() {
    fake_.reset();
    const auto until = std::chrono::steady_clock::now() + kLimit;
    while (fake_.get("running") > 0 && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void TearDown() override { heal(); }

  [[nodiscard]] std::unique_ptr<Device> device(int index) { return backend().open_device(index); }

  [[nodiscard]] static std::unique_ptr<Queue> queue(Device& device, plan::Engine engine,
                                                    plan::Share share = {}) {
    return device.make_queue({"test", engine, share, plan::Priority::normal});
  }

  static void finish(Queue& queue) {
    queue.submit();
    ASSERT_TRUE(queue.synchronize(kLimit)) << "the queue did not end";
  }

  static void run(Device& device, Task& task) {
    const auto side = queue(device, plan::Engine::compute);
    side->compute(task, {});
    finish(*side);
  }

  static void fill(Device& device, const Memory& memory, const Pattern& pattern) {
    run(device, *device.make_fill(memory.data(), {{0, memory.bytes(), pattern, 0}}));
  }

  [[nodiscard]] static std::uint64_t mismatches(Device& device, const Memory& memory,
                                                const Pattern& pattern) {
    Comparison result;
    run(device, *device.make_compare(memory.data(), {{0, memory.bytes(), pattern, 0}}, result));
    EXPECT_EQ(result.compared, memory.bytes());
    return result.mismatches;
  }

  /// What the action says when it throws.
  template <typename Expected, typename Action>
  static std::string refusal(const Action& action) {
    try {
      action();
    } catch (const Expected& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

 private:
  test::Environment environment_;
  test::FakeHsa fake_{CONCCL_FAKE_HSA_PATH};
  std::unique_ptr<Backend> backend_;
};

}  // namespace conccl::backend::hsa
