// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `SharedSegment`: memory that other processes can map, given its descriptor.
#pragma once

#include <cstddef>
#include <string>

#include "conccl/core/descriptor.hpp"
#include "conccl/core/units.hpp"

namespace conccl {

/// Anonymous shared memory (memfd): it has no name in any file system, is not bounded by the size
/// of /dev/shm, and is gone with the last process that maps it, however that process ends.
/// Movable; unmaps what it owns.
class SharedSegment {
 public:
  SharedSegment() = default;
  /// Zeroed. `label` appears in /proc/PID/maps. Throws RunError with the byte count and the bound
  /// when the machine or the memory control group has not that much left, or no descriptor is free.
  [[nodiscard]] static SharedSegment create(const std::string& label, Bytes bytes);
  /// Maps a segment another process created. Throws RunError when the file is smaller than `bytes`
  /// (a shorter file would end the process on access) or cannot be mapped.
  [[nodiscard]] static SharedSegment map(FileDescriptor descriptor, Bytes bytes);

  SharedSegment(SharedSegment&& other) noexcept;
  SharedSegment& operator=(SharedSegment&& other) noexcept;
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;
  ~SharedSegment();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] Bytes bytes() const { return bytes_; }
  /// Owns nothing in a segment that was mapped.
  [[nodiscard]] const FileDescriptor& descriptor() const { return descriptor_; }
  /// The memory stays mapped; nobody else can be given it from then on.
  void close_descriptor() { descriptor_ = FileDescriptor(); }

 private:
  SharedSegment(FileDescriptor descriptor, std::byte* data, Bytes bytes);

  FileDescriptor descriptor_;
  std::byte* data_ = nullptr;
  Bytes bytes_ = 0;
};

/// What may still be allocated: the least of the machine's available memory and what the memory
/// control groups of this process leave. `bound` names which it was, for messages.
struct AvailableMemory {
  Bytes bytes = 0;
  std::string bound;
};
[[nodiscard]] AvailableMemory available_memory();

}  // namespace conccl
