// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CuptiBuffers`: the memory that CUPTI writes its records to.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace conccl::bench {

/// CUPTI asks for buffers and returns them by callbacks that carry nothing of their caller's, on
/// any thread: so there is one set of them per process.
class CuptiBuffers {
 public:
  struct Filled {
    std::uint8_t* data = nullptr;
    std::size_t bytes = 0;  ///< valid
  };

  [[nodiscard]] static CuptiBuffers& of_process();

  /// Marks the set as somebody's; false: it is already.
  [[nodiscard]] bool acquire();
  void release();

  /// What CUPTI calls.
  static void CUPTIAPI requested(std::uint8_t** buffer, std::size_t* size, std::size_t* records);
  static void CUPTIAPI completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t size, std::size_t valid);

  /// The buffers that came back since the last call; valid until `recycle`.
  [[nodiscard]] std::vector<Filled> take();
  void recycle();

 private:
  /// Null when there is no memory; CUPTI counts the records it drops.
  [[nodiscard]] std::uint8_t* hand_out() noexcept;
  void put_back(const Filled& buffer) noexcept;

  struct Slot {
    std::unique_ptr<std::uint8_t[]> memory;
    std::size_t valid = 0;
    enum class State : std::uint8_t { free, with_cupti, filled, taken } state = State::free;
  };

  std::mutex mutex_;
  std::vector<Slot> slots_;  ///< in the order in which they were first needed
  bool acquired_ = false;
};

}  // namespace conccl::bench
