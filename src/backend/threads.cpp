// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/threads.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>

#include "conccl/core/errors.hpp"
#include "conccl/core/quiet_thread.hpp"

namespace conccl::backend {
namespace {

/// A CPU set with room for `cpus` cores.
class CpuSet {
 public:
  explicit CpuSet(int cpus)
      : set_(CPU_ALLOC(static_cast<std::size_t>(cpus))),
        bytes_(CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus))) {
    if (set_ == nullptr) throw RunError(fmt::format("no memory for a set of {} cores", cpus));
    CPU_ZERO_S(bytes_, set_);
  }
  ~CpuSet() { CPU_FREE(set_); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;

  void add(int cpu) { CPU_SET_S(static_cast<std::size_t>(cpu), bytes_, set_); }
  [[nodiscard]] bool has(int cpu) const {
    return CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes_, set_);
  }
  [[nodiscard]] cpu_set_t* get() const { return set_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  cpu_set_t* set_;
  std::size_t bytes_;
};

/// The kernel's `struct sched_attr` in its first version; glibc declares it only from 2.41 on.
struct SchedulerAttributes {
  std::uint32_t size = sizeof(SchedulerAttributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;  ///< for SCHED_OTHER: the time slice
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};
static_assert(sizeof(SchedulerAttributes) == 48, "what the kernel calls SCHED_ATTR_SIZE_VER0");

constexpr std::uint64_t kShortestSliceNs = 100'000;

constexpr int kFirstCpuSetSize = 1024;
constexpr int kLargestCpuSetSize = 1 << 20;

}  // namespace

void prefer_quick_wakeups() {
  SchedulerAttributes attributes;
  attributes.nice = getpriority(PRIO_PROCESS, 0);
  attributes.runtime_ns = kShortestSliceNs;
  // A wish: where it is refused, only latency suffers.
  (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

std::vector<int> allowed_cpus() {
  for (int size = kFirstCpuSetSize; size <= kLargestCpuSetSize; size *= 2) {
    const CpuSet set(size);
    if (sched_getaffinity(0, set.bytes(), set.get()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < size; ++cpu) {
      if (set.has(cpu)) cpus.push_back(cpu);
    }
    return cpus;
  }
  throw RunError(fmt::format("sched_getaffinity: {}", std::generic_category().message(errno)));
}

std::thread start_thread(const std::string& name, const std::vector<int>& cpus,
                         std::function<void()> body) {
  std::thread thread = start_quiet_thread(name, std::move(body));
  if (cpus.empty()) return thread;
  CpuSet set(*std::max_element(cpus.begin(), cpus.end()) + 1);
  for (const int cpu : cpus) set.add(cpu);
  // Fails only for cores that went offline since they were listed; the thread then runs anywhere.
  (void)pthread_setaffinity_np(thread.native_handle(), set.bytes(), set.get());
  return thread;
}

}  // namespace conccl::backend
