// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The double of the HSA runtime, opened; one GPU of it, with memory and signals.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "backend/hsa/library.hpp"
#include "tests/fakes/hsa/control.hpp"

namespace conccl::backend::hsa {

/// The double reads its settings when it is opened.
class OpenDouble : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void TearDown() override { close(); }

  /// Also anew, with what was set since.
  void open() {
    close();
    setenv("CONCCL_HSA", CONCCL_FAKE_HSA_PATH, 1);
    calls_ = open_library().calls;
    must(calls_.hsa_init());
    opened_ = true;
    must(calls_.hsa_iterate_agents(
        [](abi::hsa_agent_t agent, void* self) {
          return static_cast<OpenDouble*>(self)->see(agent);
        },
        this));
    device_pool_ = pool(gpu_, abi::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
    kernarg_pool_ = pool(host_, abi::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT);
  }

  void close() {
    if (!opened_) return;
    for (void* const memory : memory_) must(calls_.hsa_amd_memory_pool_free(memory));
    for (const auto signal : signals_) must(calls_.hsa_signal_destroy(signal));
    memory_.clear();
    signals_.clear();
    must(calls_.hsa_shut_down());
    opened_ = false;
  }

  [[nodiscard]] test::FakeHsa& fake() { return fake_; }
  [[nodiscard]] Calls& calls() { return calls_; }
  [[nodiscard]] abi::hsa_agent_t gpu() const { return gpu_; }
  [[nodiscard]] abi::hsa_amd_memory_pool_t kernarg_pool() const { return kernarg_pool_; }

  /// The GPU's memory, in which the host can look too.
  template <typename Value>
  [[nodiscard]] Value* device_memory(std::size_t count) {
    void* memory = nullptr;
    must(calls_.hsa_amd_memory_pool_allocate(device_pool_, count * sizeof(Value), 0, &memory));
    std::memset(memory, 0, count * sizeof(Value));
    memory_.push_back(memory);
    return static_cast<Value*>(memory);
  }

  [[nodiscard]] abi::hsa_signal_t signal(std::int64_t value = 1) {
    abi::hsa_signal_t made{};
    must(calls_.hsa_signal_create(value, 0, nullptr, &made));
    signals_.push_back(made);
    return made;
  }

  void set(abi::hsa_signal_t signal, std::int64_t value) {
    calls_.hsa_signal_store_screlease(signal, value);
  }
  [[nodiscard]] std::int64_t value(abi::hsa_signal_t signal) {
    return calls_.hsa_signal_load_scacquire(signal);
  }

  void must(abi::hsa_status_t status) {
    ASSERT_EQ(status, abi::HSA_STATUS_SUCCESS) << text_of(calls_, status);
  }

 private:
  abi::hsa_status_t see(abi::hsa_agent_t agent) {
    abi::hsa_device_type_t type{};
    must(calls_.hsa_agent_get_info(agent, abi::HSA_AGENT_INFO_DEVICE, &type));
    abi::hsa_agent_t& place = type == abi::HSA_DEVICE_TYPE_GPU ? gpu_ : host_;
    if (!place.handle) place = agent;
    return abi::HSA_STATUS_SUCCESS;
  }

  struct Search {
    OpenDouble* self = nullptr;
    std::uint32_t flag = 0;
    abi::hsa_amd_memory_pool_t found{};
  };
  [[nodiscard]] abi::hsa_amd_memory_pool_t pool(abi::hsa_agent_t agent, std::uint32_t flag) {
    Search search{this, flag, {}};
    must(calls_.hsa_amd_agent_iterate_memory_pools(
        agent,
        [](abi::hsa_amd_memory_pool_t candidate, void* data) {
          auto& wanted = *static_cast<Search*>(data);
          const Calls& calls = wanted.self->calls_;
          abi::hsa_amd_segment_t segment{};
          wanted.self->must(calls.hsa_amd_memory_pool_get_info(
              candidate, abi::HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
          if (segment != abi::HSA_AMD_SEGMENT_GLOBAL) return abi::HSA_STATUS_SUCCESS;
          std::uint32_t flags = 0;
          wanted.self->must(calls.hsa_amd_memory_pool_get_info(
              candidate, abi::HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
          if ((flags & wanted.flag) != 0 && wanted.found.handle == 0) wanted.found = candidate;
          return abi::HSA_STATUS_SUCCESS;
        },
        &search));
    EXPECT_NE(search.found.handle, 0u) << "no pool with flag " << flag;
    return search.found;
  }

  test::FakeHsa fake_{CONCCL_FAKE_HSA_PATH};
  bool opened_ = false;
  Calls calls_;
  abi::hsa_agent_t gpu_{};
  abi::hsa_agent_t host_{};
  abi::hsa_amd_memory_pool_t device_pool_{};
  abi::hsa_amd_memory_pool_t kernarg_pool_{};
  std::vector<void*> memory_;
  std::vector<abi::hsa_signal_t> signals_;
};

}  // namespace conccl::backend::hsa
