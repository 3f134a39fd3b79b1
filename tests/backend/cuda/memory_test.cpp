// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "backend/cuda/mapping.hpp"
#include "conccl/core/errors.hpp"
#include "tests/backend/cuda/support.hpp"

namespace conccl::backend::cuda {
namespace {

constexpr Bytes kBytes = 3 * kMiB;

using ForeignMemory = CudaTest;

/// What cudaMalloc gives.
class Allocated {
 public:
  Allocated(const Gpu& gpu, Bytes bytes) : scope_(gpu.context()) {
    check(driver().cuMemAlloc(&address_, bytes), {"cuMemAlloc", gpu.ordinal(), bytes});
  }
  ~Allocated() { (void)driver().cuMemFree(address_); }
  Allocated(const Allocated&) = delete;
  Allocated& operator=(const Allocated&) = delete;
  [[nodiscard]] std::byte* data() const { return reinterpret_cast<std::byte*>(address_); }

 private:
  ContextScope scope_;
  CUdeviceptr address_ = 0;
};

TEST_F(ForeignMemory, OfCudaMallocIsKnown) {
  const Allocated memory(*gpu(), kBytes);
  const auto found = second().allocation_of(memory.data() + 100);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->base, memory.data());
  EXPECT_EQ(found->bytes, kBytes);
  EXPECT_EQ(first().allocation_of(memory.data())->id, found->id);
  EXPECT_EQ(first().bytes_behind(memory.data() + 1), kBytes - 1);
}

TEST_F(ForeignMemory, FreedAndMadeAgainIsAnotherAllocation) {
  std::uint64_t id = 0;
  std::byte* place = nullptr;
  {
    const Allocated memory(*gpu(), 64 * kMiB);
    const auto found = first().allocation_of(memory.data()).value();
    id = found.id;
    place = memory.data();
  }
  EXPECT_FALSE(first().allocation_of(place));
  const Allocated again(*gpu(), 64 * kMiB);
  const auto found = first().allocation_of(again.data()).value();
  EXPECT_NE(found.id, id);
  if (again.data() != place) GTEST_SKIP() << "the driver chose another address";
}

TEST_F(ForeignMemory, AnAllocationThatIsFreedIsNotShared) {
  Allocation allocation;
  {
    const Allocated memory(*gpu(), kBytes);
    allocation = first().allocation_of(memory.data()).value();
    EXPECT_GT(first().share(allocation).data.size(), 0U);
  }
  EXPECT_THROW((void)first().share(allocation), RunError);
}

TEST_F(ForeignMemory, OfTheHostIsNone) {
  const ContextScope scope(gpu()->context());
  void* pinned = nullptr;
  check(driver().cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_PORTABLE), {"cuMemHostAlloc"});
  EXPECT_FALSE(first().allocation_of(pinned));
  EXPECT_FALSE(first().allocation_of(nullptr));
  (void)driver().cuMemFreeHost(pinned);
}

TEST_F(ForeignMemory, OfVirtualMemoryCallsIsKnownAndShared) {
  const ContextScope scope(gpu()->context());
  const Bytes unit = granularity(0);
  const Mapping mapping(PhysicalMemory::create(0, unit), unit);
  mapping.allow({0});
  const auto found = first().allocation_of(mapping.data() + 5);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->base, mapping.data());
  EXPECT_EQ(found->bytes, unit);
  Shareable shareable = first().share(*found);
  EXPECT_EQ(shareable.descriptors.size(), 1U);
  shareable.owner[0] ^= std::byte{1};
  const Memory mapped = second().map(std::move(shareable));
  fill(first(), mapping.data(), unit, {3, 3});
  EXPECT_EQ(compare(second(), mapped.data(), unit, {3, 3}).mismatches, 0U);
}

constexpr const char* kGiven = "CONCCL_TEST_SHAREABLE";

std::string to_text(const Shareable& shareable) {
  std::ostringstream text;
  text << shareable.bytes << ' ' << shareable.allocation << ' ' << shareable.descriptors.size();
  for (const FileDescriptor& each : shareable.descriptors) text << ' ' << each.get();
  for (const std::byte byte : shareable.data) text << ' ' << std::to_integer<int>(byte);
  return text.str();
}

Shareable from_text(const char* text) {
  std::istringstream in(text);
  Shareable shareable;
  std::size_t count = 0;
  in >> shareable.bytes >> shareable.allocation >> count;
  for (int number = -1; count > 0 && in >> number; --count) {
    shareable.descriptors.emplace_back(number);
  }
  for (int byte = 0; in >> byte;) shareable.data.push_back(static_cast<std::byte>(byte));
  return shareable;
}

/// Runs the test below in a process of its own, which is given `shareable`; its exit code.
int run_child(const Shareable& shareable) {
  for (const FileDescriptor& each : shareable.descriptors) (void)fcntl(each.get(), F_SETFD, 0);
  std::string given(kGiven);
  given.append("=").append(to_text(shareable));
  std::string name = "/proc/self/exe";
  std::string filter = "--gtest_filter=ChildProcess.*";
  std::vector<char*> arguments{name.data(), filter.data(), nullptr};
  std::vector<char*> variables;
  for (char** each = environ; *each != nullptr; ++each) variables.push_back(*each);
  variables.push_back(given.data());
  variables.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, name.c_str(), nullptr, nullptr, arguments.data(), variables.data()) !=
      0) {
    return -1;
  }
  int status = -1;
  (void)waitpid(child, &status, 0);
  return status;
}

TEST(ChildProcess, MapsAndFillsWhatItIsGiven) {
  const char* given = std::getenv(kGiven);
  if (given == nullptr) GTEST_SKIP() << "run by other tests";
  const auto backend = open_cuda();
  const auto device = backend->open_device(1);
  const Memory memory = device->map(from_text(given));
  const auto work = device->make_queue({"fill", plan::Engine::compute, {}, plan::Priority::normal});
  const auto task = device->make_fill(memory.data(), {{0, memory.bytes(), {7, 7}, 0}});
  work->compute(*task, {});
  work->submit();
  ASSERT_TRUE(work->synchronize(kLimit));
}

TEST_F(ForeignMemory, AnotherProcessMapsBothKinds) {
  const Allocated foreign(*gpu(), kBytes);
  const Memory own = first().allocate(kBytes);
  for (const std::byte* data :
       {static_cast<const std::byte*>(foreign.data()), static_cast<const std::byte*>(own.at(0))}) {
    fill(first(), const_cast<std::byte*>(data), kBytes, {1, 1});
    EXPECT_EQ(run_child(first().share(first().allocation_of(data).value())), 0);
    EXPECT_EQ(compare(first(), data, kBytes, {7, 7}).mismatches, 0U);
  }
}

TEST_F(ForeignMemory, TwoDevicesReachEachOther) {
  const Memory here = first().allocate(kBytes);
  const Memory there = second().allocate(kBytes);
  fill(first(), there.data(), kBytes, {1, 1});
  fill(second(), here.data(), kBytes, {2, 1});
  EXPECT_EQ(compare(second(), there.data(), kBytes, {1, 1}).mismatches, 0U);
  EXPECT_EQ(compare(first(), here.data(), kBytes, {2, 1}).mismatches, 0U);
}

}  // namespace
}  // namespace conccl::backend::cuda
