// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `StreamCache`: queues over the streams that a caller has brought.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "conccl/backend/device.hpp"

namespace conccl::capi {

struct Stream {
  std::shared_ptr<backend::Device> device;
  std::unique_ptr<backend::Queue> queue;  ///< destroyed before its device
};

/// The streams used last, by what the device tells them apart by: a stream that was destroyed and
/// one that was made later are different even where their handles are equal. For one thread at a
/// time.
class StreamCache {
 public:
  /// Null where the device takes no streams but its own queues. Throws as Device::stream_id.
  [[nodiscard]] std::shared_ptr<Stream> get(const std::shared_ptr<backend::Device>& device,
                                            void* stream);

 private:
  struct Entry {
    std::uint64_t id = 0;
    std::shared_ptr<Stream> stream;
  };

  std::list<Entry> entries_;  ///< the one used last first
};

}  // namespace conccl::capi
