// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/shared_segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "conccl/core/errors.hpp"
#include "conccl/core/open_files.hpp"

namespace conccl {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

void refuse_more_than_there_is(const std::string& label, Bytes bytes) {
  const AvailableMemory available = available_memory();
  if (bytes <= available.bytes) return;
  throw RunError(fmt::format("shared memory \"{}\": {} bytes, expected at most {} ({})", label,
                             bytes, available.bytes, available.bound));
}

FileDescriptor new_file(const std::string& label, Bytes bytes) {
  FileDescriptor file(memfd_create(label.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) {
    throw RunError(no_descriptor(fmt::format("shared memory \"{}\": memfd_create", label), errno));
  }
  // Sealed, so that no process can take away pages that another one is using.
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    throw RunError(
        fmt::format("shared memory \"{}\" of {} bytes: {}", label, bytes, reason(errno)));
  }
  return file;
}

void check_file(const FileDescriptor& file, Bytes bytes) {
  struct stat status{};
  if (fstat(file.get(), &status) != 0) {
    throw RunError(fmt::format("shared memory of another process: {}", reason(errno)));
  }
  if (std::cmp_less(status.st_size, bytes)) {
    throw RunError(
        fmt::format("shared memory of another process: the file has {} bytes, expected {}",
                    status.st_size, bytes));
  }
  const int seals = fcntl(file.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    throw RunError(
        "shared memory of another process: the file may shrink, expected a memfd sealed against "
        "it");
  }
}

std::byte* map_file(const FileDescriptor& file, Bytes bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) {
    throw RunError(fmt::format("mapping {} bytes of shared memory: {}", bytes, reason(errno)));
  }
  return static_cast<std::byte*>(data);
}

}  // namespace

SharedSegment::SharedSegment(FileDescriptor descriptor, std::byte* data, Bytes bytes)
    : descriptor_(std::move(descriptor)), data_(data), bytes_(bytes) {}

SharedSegment SharedSegment::create(const std::string& label, Bytes bytes) {
  if (bytes == 0) throw InputError(fmt::format("shared memory \"{}\": 0 bytes", label));
  refuse_more_than_there_is(label, bytes);
  FileDescriptor file = new_file(label, bytes);
  std::byte* data = map_file(file, bytes);
  return {std::move(file), data, bytes};
}

SharedSegment SharedSegment::map(FileDescriptor descriptor, Bytes bytes) {
  check_file(descriptor, bytes);
  // The mapping alone keeps the memory; a descriptor for each would soon reach the limit.
  return {FileDescriptor(), map_file(descriptor, bytes), bytes};
}

SharedSegment::SharedSegment(SharedSegment&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

SharedSegment& SharedSegment::operator=(SharedSegment&& other) noexcept {
  const SharedSegment old(std::move(*this));
  descriptor_ = std::move(other.descriptor_);
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

SharedSegment::~SharedSegment() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace conccl
