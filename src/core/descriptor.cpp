// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "conccl/core/errors.hpp"
#include "conccl/core/open_files.hpp"

namespace conccl {

std::string no_descriptor(const std::string& call, int error) {
  if (error == EMFILE) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return fmt::format(
        "{}: this process has all {} files open that it may; raise the limit with ulimit -n", call,
        limit.rlim_cur);
  }
  return fmt::format("{}: {}", call, std::generic_category().message(error));
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  FileDescriptor old(std::move(*this));
  value_ = std::exchange(other.value_, -1);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (value_ >= 0) close(value_);
}

FileDescriptor FileDescriptor::duplicate() const {
  const int copy = fcntl(value_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw RunError(no_descriptor("duplicate a descriptor", errno));
  return FileDescriptor(copy);
}

}  // namespace conccl
