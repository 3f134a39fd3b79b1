// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The C API as its users see it: through conccl/conccl.h and the shared library alone.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conccl/conccl.h"

#define EXPECT_OK(call) EXPECT_EQ((call), concclSuccess) << concclGetLastError(nullptr)
#define ASSERT_OK(call) ASSERT_EQ((call), concclSuccess) << concclGetLastError(nullptr)

namespace conccl::test {

/// Long enough for anything on a loaded machine under a sanitizer.
inline constexpr int kPatienceMs = 60'000;

[[nodiscard]] inline std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

[[nodiscard]] std::string last_error(concclComm_t comm = nullptr);
[[nodiscard]] concclConfig_t with_deadline(int milliseconds);
/// What concclCommGetAsyncError says.
[[nodiscard]] concclResult_t async_error(concclComm_t comm);

/// Fails the test when `result` is not `expected` or the thread's error text lacks `words`.
void expect_refused(concclResult_t result, concclResult_t expected, const std::string& words);

/// All ranks in this process, each with a stream; destroyed with it.
struct Ranks {
  explicit Ranks(int count, const concclConfig_t* config = nullptr);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] int count() const { return static_cast<int>(comms.size()); }
  void synchronize() const;

  std::vector<concclComm_t> comms;
  std::vector<concclStream_t> streams;
};

/// Memory of concclMemAlloc, freed with it.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  Buffer& operator=(Buffer&&) = delete;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::int32_t* words() const { return static_cast<std::int32_t*>(data_); }
  /// The caller frees it.
  [[nodiscard]] void* release() { return std::exchange(data_, nullptr); }

 private:
  void* data_ = nullptr;
};

/// `call(rank)` on one thread per rank; the results by rank.
std::vector<concclResult_t> on_each_rank(int ranks, const std::function<concclResult_t(int)>& call);

/// Buffers of one all-gather of int32 on every rank; rank r sends r * count ...
struct Gather {
  Gather(int rank_count, std::size_t elements);

  [[nodiscard]] concclResult_t call(const Ranks& ranks, int rank) const;
  [[nodiscard]] testing::AssertionResult right() const;

  std::size_t count;
  std::vector<Buffer> send;
  std::vector<Buffer> recv;
};

}  // namespace conccl::test
