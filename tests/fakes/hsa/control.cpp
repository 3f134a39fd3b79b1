// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/control.hpp"

#include <array>
#include <cstdio>
#include <string_view>

#include "tests/fakes/hsa/runtime.hpp"

namespace conccl::test::fake_hsa {
namespace {

struct NamedCounter {
  std::string_view name;
  std::atomic<std::int64_t> Counters::* counter;
};

constexpr std::array kCounters{
    NamedCounter{"copies", &Counters::copies},
    NamedCounter{"cu_copies", &Counters::cu_copies},
    NamedCounter{"bytes", &Counters::bytes},
    NamedCounter{"kernels", &Counters::kernels},
    NamedCounter{"running", &Counters::running},
    NamedCounter{"signals", &Counters::signals},
    NamedCounter{"allocations", &Counters::allocations},
    NamedCounter{"imports", &Counters::imports},
    NamedCounter{"locked", &Counters::locked},
    NamedCounter{"queues", &Counters::queues},
};

/// Of a queue that is alive.
std::int64_t about_queue(Runtime& all, std::int64_t nth, std::string_view what) {
  const auto queue = all.queues.find(nth);
  if (queue == nullptr) return -1;
  if (what == "units") return queue->units();
  return what == "priority" ? queue->priority() : -1;
}

std::int64_t about_runtime(Runtime& all, const char* name) {
  int gpu = 0;
  int engine = 0;
  int end = 0;
  if (std::sscanf(name, "engine.%d.%d%n", &gpu, &engine, &end) == 2 && name[end] == '\0') {
    const bool exists =
        gpu >= 0 && gpu < all.topology.gpus() && engine >= 0 && engine < all.topology.engines();
    return exists ? all.engines.copies(gpu, engine) : -1;
  }
  int nth = 0;
  if (std::sscanf(name, "queue.%d.%n", &nth, &end) == 1) return about_queue(all, nth, name + end);
  return -1;
}

std::int64_t find_number(const char* name) {
  for (const auto& [known, counter] : kCounters) {
    if (known == name) return (counters().*counter).load();
  }
  std::int64_t setting = 0;
  if (settings().find(name, setting)) return setting;
  Runtime* const all = last_runtime();
  return all == nullptr ? -1 : about_runtime(*all, name);
}

}  // namespace

CONCCL_FAKE_HSA_API int conccl_fake_hsa_set(const char* name, const char* value) {
  if (name == nullptr || value == nullptr) return 1;
  const auto why = settings().set(name, value);
  if (!why.empty()) std::fprintf(stderr, "HSA double: %s\n", why.c_str());
  return why.empty() ? 0 : 1;
}

CONCCL_FAKE_HSA_API std::int64_t conccl_fake_hsa_get(const char* name) {
  return name == nullptr ? -1 : find_number(name);
}

CONCCL_FAKE_HSA_API void conccl_fake_hsa_reset() {
  settings().reset();
  counters().forget();
  if (Runtime* const all = last_runtime()) all->lost.find();
}

}  // namespace conccl::test::fake_hsa
