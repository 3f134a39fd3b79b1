// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "core/available_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace conccl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A tree of files like the system's.
class AvailableMemoryTest : public testing::Test {
 protected:
  AvailableMemoryTest()
      : root_(fs::temp_directory_path() / ("conccl-memory-" + std::to_string(getpid()))) {
    write("proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:   8000 kB\nMemAvailableX: 1 kB\n");
  }
  ~AvailableMemoryTest() override { fs::remove_all(root_); }

  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  [[nodiscard]] AvailableMemory available() const { return available_memory_in(root_); }

 private:
  fs::path root_;
};

TEST_F(AvailableMemoryTest, WithoutGroupsTheMachineIsTheBound) {
  EXPECT_EQ(available().bytes, 8000 * kKiB);
  EXPECT_THAT(available().bound, HasSubstr("MemAvailable"));
}

TEST_F(AvailableMemoryTest, TheTightestLevelOfVersion2Counts) {
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/memory.max", "5000000\n");
  write("sys/fs/cgroup/outer/memory.current", "4000000\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write("sys/fs/cgroup/outer/inner/memory.current", "100\n");
  EXPECT_EQ(available().bytes, 1'000'000U);
  EXPECT_THAT(available().bound, HasSubstr("cgroup/outer/memory.max is 5000000"));
  write("sys/fs/cgroup/outer/inner/memory.max", "600\n");
  EXPECT_EQ(available().bytes, 500U);
  write("sys/fs/cgroup/outer/inner/memory.current", "700\n");
  EXPECT_EQ(available().bytes, 0U) << "over the limit already";
}

TEST_F(AvailableMemoryTest, CachedFilesAreNotInTheWay) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "1000000\n");
  write("sys/fs/cgroup/job/memory.current", "900000\n");
  write("sys/fs/cgroup/job/memory.stat", "anon 5\ninactive_file 300000\nactive_file 100000\n");
  EXPECT_EQ(available().bytes, 500'000U);
  write("sys/fs/cgroup/job/memory.stat", "inactive_file 99999999\n");
  EXPECT_EQ(available().bytes, 1'000'000U) << "no more than the limit";
}

TEST_F(AvailableMemoryTest, InAContainerTheMountIsTheGroup) {
  write("proc/self/cgroup", "0::/only/outside\n");
  write("sys/fs/cgroup/memory.max", "3000\n");
  write("sys/fs/cgroup/memory.current", "1000\n");
  EXPECT_EQ(available().bytes, 2000U);
}

TEST_F(AvailableMemoryTest, Version1CountsToo) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job\n0::/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "700000\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "400000\n");
  write("sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 100000\n");
  EXPECT_EQ(available().bytes, 400'000U);
  EXPECT_THAT(available().bound, HasSubstr("memory.limit_in_bytes is 700000"));
}

TEST_F(AvailableMemoryTest, LinesThatMakeNoSenseBoundNothing) {
  write("proc/self/cgroup", "\n:\nmemory\n4:memory\n::\n");
  EXPECT_EQ(available().bytes, 8000 * kKiB);
}

TEST(AvailableMemory, OfThisMachineIsKnown) {
  EXPECT_GT(available_memory().bytes, kMiB);
  EXPECT_FALSE(available_memory().bound.empty());
}

}  // namespace
}  // namespace conccl
