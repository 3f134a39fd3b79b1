// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/descriptor.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <utility>

#include "conccl/core/errors.hpp"

namespace conccl {
namespace {

bool is_open(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

FileDescriptor open_null() { return FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

TEST(FileDescriptor, ClosesWhatItOwns) {
  int value = -1;
  {
    const FileDescriptor descriptor = open_null();
    ASSERT_TRUE(descriptor);
    value = descriptor.get();
    EXPECT_TRUE(is_open(value));
  }
  EXPECT_FALSE(is_open(value));
  EXPECT_FALSE(FileDescriptor());
}

TEST(FileDescriptor, MovingHandsItOn) {
  FileDescriptor first = open_null();
  const int value = first.get();
  FileDescriptor second(std::move(first));
  FileDescriptor third = open_null();
  const int replaced = third.get();
  third = std::move(second);
  EXPECT_EQ(third.get(), value);
  EXPECT_TRUE(is_open(value));
  EXPECT_FALSE(is_open(replaced));
}

TEST(FileDescriptor, ADuplicateIsIndependentAndNotInherited) {
  FileDescriptor first = open_null();
  const FileDescriptor copy = first.duplicate();
  EXPECT_NE(copy.get(), first.get());
  first = FileDescriptor();
  EXPECT_TRUE(is_open(copy.get()));
  EXPECT_EQ(fcntl(copy.get(), F_GETFD), FD_CLOEXEC);
}

/// While it lives, only descriptors below `count` can be opened.
class FileLimit {
 public:
  explicit FileLimit(int count) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit lower{static_cast<rlim_t>(count), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &lower);
  }
  ~FileLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(FileDescriptor, TheLimitOfOpenFilesIsNamed) {
  const FileDescriptor first = open_null();
  try {
    const FileLimit limit(first.get());
    (void)first.duplicate();
    FAIL() << "duplicated beyond the limit";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("all " + std::to_string(first.get()) + " files"));
    EXPECT_THAT(error.what(), testing::HasSubstr("ulimit -n"));
  }
}

}  // namespace
}  // namespace conccl
