// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hip/control.hpp"

#include <array>
#include <cstdio>
#include <string_view>

#include "tests/fakes/hip/settings.hpp"
#include "tests/fakes/hip/stream.hpp"

namespace conccl::test::fake_hip {
namespace {

struct NamedCounter {
  std::string_view name;
  std::atomic<std::int64_t> Counters::* counter;
};

constexpr std::array kCounters{
    NamedCounter{"streams", &Counters::streams},
    NamedCounter{"events", &Counters::events},
    NamedCounter{"words", &Counters::words},
    NamedCounter{"launches", &Counters::launches},
    NamedCounter{"units", &Counters::units},
    NamedCounter{"priority", &Counters::priority},
    NamedCounter{"unfenced_writes", &Counters::unfenced_writes},
    NamedCounter{"unfenced_reads", &Counters::unfenced_reads},
};

}  // namespace

CONCCL_FAKE_HIP_API int conccl_fake_hip_set(const char* name, const char* value) {
  const auto why = settings().set(name, value);
  if (!why.empty()) std::fprintf(stderr, "HIP double: %s\n", why.c_str());
  return why.empty() ? 0 : 1;
}

CONCCL_FAKE_HIP_API std::int64_t conccl_fake_hip_get(const char* name) {
  for (const auto& [known, counter] : kCounters) {
    if (known == name) return (counters().*counter).load();
  }
  return -1;
}

CONCCL_FAKE_HIP_API void conccl_fake_hip_reset() {
  settings().reset();
  current_device() = 0;
  counters().launches = 0;
  counters().unfenced_writes = 0;
  counters().unfenced_reads = 0;
}

CONCCL_FAKE_HIP_API bool conccl_fake_hip_strikes(const char* name) {
  return settings().strikes(name);
}

}  // namespace conccl::test::fake_hip
