// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What every backend must do. A backend instantiates the suites of this folder with how to open
/// it:
///
///   #include the headers of this folder
///   INSTANTIATE_TEST_SUITE_P(Host, BackendContract, testing::Values(Target{"host", open_host}));
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "conccl/backend/device.hpp"

namespace conccl::backend::contract {

struct Target {
  std::string name;
  std::function<std::unique_ptr<Backend>()> open;
  /// How long after it was handed over, and the flag before it raised, work may start.
  std::chrono::nanoseconds start_slack{};

  friend std::ostream& operator<<(std::ostream& out, const Target& target) {
    return out << target.name;
  }
};

inline constexpr std::chrono::seconds kLimit{60};

/// One backend, one device, and copies between host and device memory.
class BackendContract : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    backend_ = GetParam().open();
    device_ = backend_->open_device(0);
    main_ = device_->make_queue({"main", plan::Engine::compute, {}, plan::Priority::normal});
  }

  [[nodiscard]] Backend& backend() { return *backend_; }
  [[nodiscard]] Device& device() { return *device_; }
  [[nodiscard]] Queue& main() { return *main_; }

  [[nodiscard]] std::unique_ptr<Queue> queue(plan::Engine engine, plan::Share share = {}) {
    return device_->make_queue({"side", engine, share, plan::Priority::normal});
  }

  static void finish(Queue& queue) {
    queue.submit();
    ASSERT_TRUE(queue.synchronize(kLimit)) << "the queue did not end";
  }

  void run(Task& task) {
    main().compute(task, {});
    finish(main());
  }

  void fill(const Memory& memory, const Pattern& pattern) {
    run(*device().make_fill(memory.data(), {{0, memory.bytes(), pattern, 0}}));
  }

  void poison(const Memory& memory) { run(*device().make_poison(memory.data(), memory.bytes())); }

  [[nodiscard]] Comparison compare(const Memory& memory, const std::vector<Stretch>& stretches) {
    Comparison result;
    run(*device().make_compare(memory.data(), stretches, result));
    return result;
  }

  [[nodiscard]] Comparison compare(const Memory& memory, const Pattern& pattern) {
    return compare(memory, {{0, memory.bytes(), pattern, 0}});
  }

  [[nodiscard]] std::vector<std::uint8_t> download(const Memory& memory) {
    std::vector<std::uint8_t> bytes(memory.bytes());
    main().copy(bytes.data(), memory.data(), memory.bytes(), {});
    finish(main());
    return bytes;
  }

  void upload(const Memory& memory, Bytes offset, std::vector<std::uint8_t> bytes) {
    main().copy(memory.at(offset), bytes.data(), bytes.size(), {});
    finish(main());
  }

  void flip_byte(const Memory& memory, Bytes offset) {
    std::vector<std::uint8_t> byte(1);
    main().copy(byte.data(), memory.at(offset), 1, {});
    finish(main());
    byte[0] = static_cast<std::uint8_t>(byte[0] ^ 0x10U);
    upload(memory, offset, byte);
  }

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Queue> main_;
};

/// Byte `offset` of a pattern, straight from its definition.
[[nodiscard]] inline std::uint8_t byte_of(const Pattern& pattern, Bytes offset) {
  return static_cast<std::uint8_t>(pattern_word(pattern, offset / 8) >> (8 * (offset % 8)));
}

}  // namespace conccl::backend::contract
