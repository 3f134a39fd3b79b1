// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/core/shared_segment.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <utility>

#include "conccl/core/errors.hpp"

namespace conccl {
namespace {

using testing::HasSubstr;

constexpr Bytes kBytes = 64 * kKiB;

std::string refusal(FileDescriptor descriptor, Bytes bytes) {
  try {
    (void)SharedSegment::map(std::move(descriptor), bytes);
  } catch (const RunError& error) {
    return error.what();
  }
  return "mapped";
}

bool is_mapped(const std::string& label) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("memfd:" + label) != std::string::npos) return true;
  }
  return false;
}

TEST(SharedSegment, IsZeroedAndSeenThroughEveryMapping) {
  const SharedSegment segment = SharedSegment::create("twice", kBytes);
  ASSERT_EQ(segment.bytes(), kBytes);
  EXPECT_TRUE(std::all_of(segment.data(), segment.data() + kBytes,
                          [](std::byte each) { return each == std::byte{0}; }));
  const SharedSegment other = SharedSegment::map(segment.descriptor().duplicate(), kBytes);
  ASSERT_NE(other.data(), segment.data());
  std::memset(segment.data() + 100, 7, 100);
  EXPECT_EQ(std::memcmp(segment.data(), other.data(), kBytes), 0);
  other.data()[kBytes - 1] = std::byte{9};
  EXPECT_EQ(segment.data()[kBytes - 1], std::byte{9});
}

TEST(SharedSegment, AChildProcessReachesItThroughTheDescriptor) {
  const SharedSegment segment = SharedSegment::create("child", kBytes);
  const pid_t child = fork();
  if (child == 0) {
    const SharedSegment mapped = SharedSegment::map(segment.descriptor().duplicate(), kBytes);
    mapped.data()[5] = std::byte{42};
    _exit(0);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(segment.data()[5], std::byte{42});
}

TEST(SharedSegment, IsUnmappedWithItsOwner) {
  {
    SharedSegment segment = SharedSegment::create("owner", kBytes);
    EXPECT_TRUE(is_mapped("owner"));
    const SharedSegment moved(std::move(segment));
    EXPECT_EQ(segment.data(), nullptr);  // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(is_mapped("owner"));
  }
  EXPECT_FALSE(is_mapped("owner"));
  SharedSegment replaced = SharedSegment::create("replaced", kBytes);
  replaced = SharedSegment::create("successor", kBytes);
  EXPECT_FALSE(is_mapped("replaced"));
  EXPECT_TRUE(is_mapped("successor"));
}

TEST(SharedSegment, MoreThanThereIsIsRefusedWithTheBound) {
  const AvailableMemory available = available_memory();
  const Bytes bytes = available.bytes + 64 * kGiB;
  try {
    (void)SharedSegment::create("large", bytes);
    FAIL() << "created " << bytes;
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(bytes)));
    EXPECT_THAT(error.what(), HasSubstr(available.bound));
  }
  EXPECT_THROW((void)SharedSegment::create("none", 0), InputError);
}

TEST(SharedSegment, AShorterFileIsNotMapped) {
  const SharedSegment segment = SharedSegment::create("short", kBytes);
  const std::string message = refusal(segment.descriptor().duplicate(), kBytes + 1);
  EXPECT_THAT(message, HasSubstr("65536 bytes, expected 65537"));
  EXPECT_EQ(refusal(segment.descriptor().duplicate(), kBytes), "mapped");
  EXPECT_NE(refusal(segment.descriptor().duplicate(), 0), "mapped");
  EXPECT_NE(refusal(FileDescriptor(), kBytes), "mapped");
}

TEST(SharedSegment, NobodyCanShrinkIt) {
  const SharedSegment segment = SharedSegment::create("sealed", kBytes);
  EXPECT_NE(ftruncate(segment.descriptor().get(), 1), 0);
  EXPECT_EQ(errno, EPERM);
}

TEST(SharedSegment, AFileThatMayShrinkIsNotMapped) {
  FileDescriptor open_ended(memfd_create("open-ended", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(open_ended.get(), kBytes), 0);
  EXPECT_THAT(refusal(std::move(open_ended), kBytes), HasSubstr("may shrink"));
  FileDescriptor ordinary(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  EXPECT_THAT(refusal(std::move(ordinary), 1), HasSubstr("may shrink"));
}

}  // namespace
}  // namespace conccl
