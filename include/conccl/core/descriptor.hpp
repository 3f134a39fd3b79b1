// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `FileDescriptor`: owns one file descriptor.
#pragma once

#include <utility>

namespace conccl {

/// Closes what it owns. Movable; -1 owns nothing.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int value) : value_(value) {}
  FileDescriptor(FileDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  [[nodiscard]] int get() const { return value_; }
  [[nodiscard]] explicit operator bool() const { return value_ >= 0; }
  /// Another descriptor of the same file; throws RunError at the limit of open files, naming it.
  [[nodiscard]] FileDescriptor duplicate() const;

 private:
  int value_ = -1;
};

}  // namespace conccl
