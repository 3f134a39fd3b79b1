// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Memory`: device memory with its owner.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "conccl/core/units.hpp"

namespace conccl::backend {

/// Device memory, of this process or mapped from another. Copies share it.
class Memory {
 public:
  Memory() = default;
  Memory(std::shared_ptr<void> data, Bytes bytes) : data_(std::move(data)), bytes_(bytes) {}

  [[nodiscard]] void* data() const { return data_.get(); }
  [[nodiscard]] Bytes bytes() const { return bytes_; }
  [[nodiscard]] const std::shared_ptr<void>& owner() const { return data_; }
  [[nodiscard]] std::byte* at(Bytes offset) const {
    return static_cast<std::byte*>(data_.get()) + offset;
  }

 private:
  std::shared_ptr<void> data_;
  Bytes bytes_ = 0;
};

}  // namespace conccl::backend
