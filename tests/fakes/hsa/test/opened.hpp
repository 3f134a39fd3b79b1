// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The double as a backend has it: opened, initialised, its agents and pools found.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "backend/hsa/calls.hpp"
#include "tests/fakes/hsa/control.hpp"

namespace conccl::test::fake_hsa {

namespace abi = backend::hsa::abi;
using namespace abi;  // NOLINT(google-build-using-namespace): the interface's names

/// Every call that the library has; null where it lacks one.
[[nodiscard]] backend::hsa::Calls find_calls(void* library);

inline constexpr std::uint64_t kTicksPerMillisecond = 100'000;

/// A copy to be asked for; from GPU `src` to GPU `dst`, on the first engine for peers.
struct Asked {
  void* dst = nullptr;
  const void* src = nullptr;
  std::size_t bytes = 0;
  hsa_signal_t completion{};
  std::vector<hsa_signal_t> dependencies = {};
  int dst_gpu = 1;
  int src_gpu = 0;
  std::uint32_t engine = 1U << 2U;
  bool forced = true;
};

class Opened : public ::testing::Test {
 protected:
  Opened() : control(CONCCL_FAKE_HSA_PATH), calls(find_calls(control.library())) {}
  ~Opened() override { close(); }

  /// With what was set on `control`; finds the agents anew.
  void open();
  void close();

  [[nodiscard]] hsa_amd_memory_pool_t pool(hsa_agent_t agent, std::uint32_t flags);
  /// Of a GPU's coarse-grained pool, granted to every GPU, all bytes `value`.
  [[nodiscard]] unsigned char* device_memory(int gpu, std::size_t bytes, unsigned char value = 0);
  /// Of the host's pool for kernels' arguments, granted to every GPU.
  [[nodiscard]] void* host_memory(std::size_t bytes);
  void grant(const void* base, const std::vector<hsa_agent_t>& agents);
  /// Destroyed with the test.
  [[nodiscard]] hsa_signal_t signal(std::int64_t value = 1);
  /// What the test shall not destroy: something still uses it.
  void leave(hsa_signal_t signal);

  [[nodiscard]] hsa_status_t copy(const Asked& asked);
  /// The value once it is below 1, or 1 after `milliseconds`.
  std::int64_t wait(hsa_signal_t signal, std::uint64_t milliseconds = 20'000);
  [[nodiscard]] std::int64_t value(hsa_signal_t signal) {
    return calls.hsa_signal_load_scacquire(signal);
  }

  FakeHsa control;
  backend::hsa::Calls calls;
  std::vector<hsa_agent_t> gpus;
  std::vector<hsa_agent_t> cpus;

 private:
  bool open_ = false;
  std::vector<void*> memory_;
  std::vector<hsa_signal_t> signals_;
};

/// Counts memory-fault events; register `note_event` with it.
struct Events {
  std::atomic<int> seen{0};
  std::atomic<std::uint64_t> address{0};
  std::atomic<std::uint64_t> agent{0};
};
hsa_status_t note_event(const hsa_amd_event_t* event, void* events);

}  // namespace conccl::test::fake_hsa
