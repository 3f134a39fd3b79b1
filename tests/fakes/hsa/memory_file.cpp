// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>

namespace conccl::test::fake_hsa {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uint32_t kMagic = 0xD0B1E001;

/// What the 32 bytes of a handle mean.
struct Handle {
  std::uint32_t magic;
  std::int32_t process;
  std::int32_t file;
  std::int32_t owner;
  std::uint64_t bytes;
  std::uint64_t id;
};
static_assert(sizeof(Handle) == sizeof(hsa_amd_ipc_memory_t));

std::string file_name(std::uint64_t id) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "conccl-fake-hsa-%016llx",
                static_cast<unsigned long long>(id));
  return text.data();
}

}  // namespace

std::uint64_t new_file_id() {
  static std::atomic<std::uint64_t> made{0};
  return ticks_now() ^ made.fetch_add(1) << 48U;
}

int make_file(std::uint64_t id, std::size_t bytes) {
  const int file = ::memfd_create(file_name(id).c_str(), MFD_CLOEXEC);
  if (file < 0) return -1;
  const auto rounded = (bytes + kPage - 1) / kPage * kPage;
  if (::ftruncate(file, static_cast<off_t>(rounded)) == 0) return file;
  ::close(file);
  return -1;
}

bool map_file(Allocation& allocation) {
  if (allocation.file < 0) return false;
  const auto rounded = (allocation.bytes + kPage - 1) / kPage * kPage;
  void* const base =
      ::mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_SHARED, allocation.file, 0);
  if (base == MAP_FAILED) return false;
  allocation.base = static_cast<std::byte*>(base);
  allocation.mapped = rounded;
  return true;
}

hsa_amd_ipc_memory_t write_handle(const Allocation& allocation) {
  const Handle said{kMagic,           ::getpid(),       allocation.file,
                    allocation.owner, allocation.bytes, allocation.id};
  hsa_amd_ipc_memory_t handle{};
  std::memcpy(&handle, &said, sizeof said);
  return handle;
}

bool read_handle(const hsa_amd_ipc_memory_t& handle, Allocation& allocation) {
  Handle said{};
  std::memcpy(&said, &handle, sizeof said);
  if (said.magic != kMagic || said.owner < 0 || said.bytes == 0) return false;
  const auto path = "/proc/" + std::to_string(said.process) + "/fd/" + std::to_string(said.file);
  allocation.file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (allocation.file < 0) return false;
  // The descriptor's number may by now mean another file.
  const auto own = "/proc/self/fd/" + std::to_string(allocation.file);
  std::array<char, 128> target{};
  if (::readlink(own.c_str(), target.data(), target.size() - 1) < 0) return false;
  if (std::string(target.data()).find(file_name(said.id)) == std::string::npos) return false;
  allocation.bytes = said.bytes;
  allocation.owner = said.owner;
  allocation.id = said.id;
  return true;
}

}  // namespace conccl::test::fake_hsa
