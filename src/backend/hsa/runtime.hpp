// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Runtime`: the HSA runtime of this process, and its GPUs.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend/hsa/clock.hpp"
#include "backend/hsa/engines.hpp"
#include "backend/hsa/facts.hpp"
#include "backend/hsa/failure.hpp"
#include "backend/hsa/kernels_of_gpu.hpp"
#include "backend/hsa/overdue.hpp"
#include "backend/hsa/settings.hpp"
#include "backend/hsa/signals.hpp"
#include "backend/hsa/tally_slots.hpp"

namespace conccl::backend::hsa {

/// A GPU as all ranks of this process that work on it see it.
struct Gpu {
  GpuFacts facts;
  EngineTable engines;
  Failure failure{};
  KernelsOfGpu kernels{};
  TallySlots tallies{};
};

/// There is one while anything holds it; the runtime is shut down after that. Any thread may call
/// it.
class Runtime {
 public:
  /// The one of this process, opened if need be. Throws Unavailable with the reason, InputError for
  /// a variable of this backend that says what it cannot.
  [[nodiscard]] static std::shared_ptr<Runtime> open();
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] const Library& library() const { return library_; }
  [[nodiscard]] const Calls& calls() const { return library_.calls; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const HostFacts& host() const { return host_; }
  [[nodiscard]] const Clock& clock() const { return *clock_; }
  [[nodiscard]] SignalPool& signals() { return *signals_; }
  [[nodiscard]] Overdue& overdue() { return *overdue_; }
  [[nodiscard]] std::size_t gpu_count() const { return gpus_.size(); }
  [[nodiscard]] Gpu& gpu(int index) { return *gpus_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const Gpu& gpu(int index) const { return *gpus_[static_cast<std::size_t>(index)]; }
  /// Of all GPUs.
  [[nodiscard]] const std::vector<abi::hsa_agent_t>& agents() const { return agents_; }
  /// Of those that can reach memory of this one; it is among them.
  [[nodiscard]] std::vector<abi::hsa_agent_t> agents_reaching(int gpu) const;
  /// GPUs that this backend cannot use, a line each.
  [[nodiscard]] const std::vector<std::string>& left_out() const { return left_out_; }
  /// Whether faults of GPUs are told to this backend; another library may have been first.
  [[nodiscard]] bool hears_faults() const { return hears_faults_; }

  /// Throws RunError in a process that was forked from the one that opened the runtime, which its
  /// driver does not serve.
  void demand_same_process(const char* operation) const;

  /// Waits until `signal` is below 1; its value then. nullopt: `until` passed, or `gpu` failed and
  /// a second more did not help.
  [[nodiscard]] std::optional<abi::hsa_signal_value_t> await(
      abi::hsa_signal_t signal, const Gpu& gpu, std::chrono::steady_clock::time_point until) const;

  /// How long work that moves `bytes` may take.
  [[nodiscard]] std::chrono::nanoseconds time_for(Bytes bytes) const;

  /// From now on the runtime keeps copies' times, if it can: for all of its users, so this is not
  /// taken back.
  void keep_copy_times();

 private:
  Runtime();

  Library library_;
  Settings settings_;
  int process_ = 0;
  HostFacts host_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::vector<abi::hsa_agent_t> agents_;
  std::vector<std::string> left_out_;
  std::unique_ptr<Clock> clock_;
  std::unique_ptr<SignalPool> signals_;
  std::unique_ptr<Overdue> overdue_;
  bool hears_faults_ = false;
  std::once_flag times_asked_for_;
};

}  // namespace conccl::backend::hsa
