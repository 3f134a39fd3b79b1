// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Host functions in the place of the backend's kernels, by the definitions beside their arguments.
#pragma once

#include <span>
#include <string_view>

#include "tests/fakes/hsa/memory.hpp"

namespace conccl::test::fake_hsa {

/// A kernel touched memory that its GPU may not.
struct KernelMemoryFault {
  const void* address = nullptr;
};
/// A kernel was given what it is not made for.
struct KernelException {};

/// What a kernel may touch; what it has asked for stays mapped while it runs.
class Reach {
 public:
  Reach(const Memory& memory, const Agent& agent) : memory_(memory), agent_(agent) {}

  /// Throws KernelMemoryFault unless the GPU may touch all of it.
  template <typename Value>
  std::span<Value> span(Value* data, std::uint64_t count) {
    touch(data, count * sizeof(Value));
    return {data, static_cast<std::size_t>(count)};
  }
  template <typename Value>
  Value& one(Value* data) {
    return span(data, 1).front();
  }
  void touch(const void* data, std::size_t bytes);

 private:
  const Memory& memory_;
  const Agent& agent_;
  std::vector<std::shared_ptr<const Allocation>> touched_;
};

struct Kernel {
  const char* name = "";  ///< without ".kd"
  std::size_t argument_bytes = 0;
  /// `arguments` are so many bytes.
  void (*run)(const void* arguments, Reach& reach) = nullptr;
};

/// Null: there is none of that name, which has no ".kd".
[[nodiscard]] const Kernel* find_kernel(std::string_view name);

/// conccl_reduce.
void run_reduce(const void* arguments, Reach& reach);

/// Numbers of 16 bits, rounded to nearest even.
[[nodiscard]] float from_bf16(std::uint16_t bits);
[[nodiscard]] std::uint16_t to_bf16(float value);
[[nodiscard]] float from_fp16(std::uint16_t bits);
[[nodiscard]] std::uint16_t to_fp16(float value);

}  // namespace conccl::test::fake_hsa
