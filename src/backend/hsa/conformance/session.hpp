// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The library under test, opened and initialised, and what it offers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backend/hsa/conformance/watch.hpp"
#include "backend/hsa/library.hpp"

namespace conccl::backend::hsa::conformance {

inline constexpr int kHost = -1;  ///< in place of the number of a GPU

struct Settings {
  int gpus = 0;  ///< 0: all
  Bytes bytes = kMiB;
  std::chrono::seconds deadline{10};  ///< of one wait
  std::string sys = "/sys";           ///< where the kernel's facts are read
};

struct Pool {
  abi::hsa_amd_memory_pool_t handle{};
  std::uint32_t flags = 0;  ///< hsa_amd_memory_pool_global_flag_t
  Bytes bytes = 0;
  bool allocates = false;
};

/// From one GPU to another, or to the host.
struct Link {
  bool reaches = false;  ///< the other's memory can be mapped
  std::uint32_t hops = 0;
  std::uint32_t type = 0;       ///< of the first hop, hsa_amd_link_info_type_t
  std::uint32_t preferred = 0;  ///< engines, by the runtime; 0: none
  std::uint32_t by_driver = 0;  ///< engines, by the driver; 0: none, or not known
};

struct Gpu {
  abi::hsa_agent_t agent{};
  std::string isa;
  std::string product;
  std::string uuid;
  std::string address;  ///< PCI
  std::uint32_t units = 0;
  std::uint32_t node = 0;  ///< of the driver
  std::uint32_t sdma = 0;  ///< engines that face the host
  std::uint32_t xgmi = 0;
  std::vector<Pool> pools;
  std::vector<Link> links;  ///< by the other's number; its own entry is empty

  [[nodiscard]] bool is(const char* prefix) const { return isa.starts_with(prefix); }
};

class Session {
 public:
  /// Throws Unavailable with the reason: too old a library, no device.
  Session(Library library, const Settings& settings, Watch& watch);

  [[nodiscard]] const Calls& calls() const { return library_.calls; }
  [[nodiscard]] const Library& library() const { return library_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] Watch& watch() const { return watch_; }
  [[nodiscard]] const std::vector<Gpu>& gpus() const { return gpus_; }
  [[nodiscard]] int count() const { return static_cast<int>(gpus_.size()); }
  [[nodiscard]] const Gpu& gpu(int number) const { return gpus_[static_cast<std::size_t>(number)]; }
  /// Of a GPU or kHost.
  [[nodiscard]] abi::hsa_agent_t agent(int number) const;
  [[nodiscard]] abi::hsa_amd_memory_pool_t pool(int number) const;
  /// Of the GPUs that can reach the memory of a GPU, itself among them, or of the host.
  [[nodiscard]] std::vector<abi::hsa_agent_t> reaching(int place) const;
  [[nodiscard]] bool is_double() const;

  /// Throw Skipped with the reason.
  void demand(const char* call) const;
  void demand_peers() const;
  void demand_xgmi() const;
  /// When variables send copies to a kernel, engines are not even looked at.
  void demand_engines() const;
  /// Also when variables swap the agents.
  void demand_status() const;

  /// One engine for a copy that the first moves to the second, as the backend would choose it.
  [[nodiscard]] std::uint32_t engine(int src, int dst) const;
  [[nodiscard]] bool over_xgmi(int src, int dst) const;
  [[nodiscard]] std::uint64_t ticks(std::chrono::nanoseconds time) const;
  [[nodiscard]] std::uint64_t frequency() const { return frequency_; }  ///< of ticks, Hz

  /// The address of the first memory fault that the runtime reported; 0: none.
  [[nodiscard]] std::uint64_t fault() const { return fault_.load(); }
  void forget_fault() { fault_.store(0); }
  /// Copies are left behind that never ended: what they use stays, and so does the runtime.
  void leave_behind() { left_ = true; }
  [[nodiscard]] bool left_behind() const { return left_; }
  /// Ends the runtime, unless something was left behind.
  void close();

 private:
  Settings settings_;
  Watch& watch_;
  Library library_;
  std::vector<Gpu> gpus_;
  abi::hsa_agent_t host_{};
  std::vector<Pool> host_pools_;
  std::uint64_t frequency_ = 0;
  std::atomic<std::uint64_t> fault_{0};
  bool left_ = false;
};

/// Idle engines as the runtime tells them.
struct Idle {
  abi::hsa_status_t status = abi::HSA_STATUS_SUCCESS;
  std::uint32_t engines = 0;
};
[[nodiscard]] Idle idle_engines(const Session& session, int src, int dst);

/// "GPU 3"; "the host".
[[nodiscard]] std::string place_text(int place);

/// "0, 2, 4"; "none".
[[nodiscard]] std::string engines_text(std::uint32_t engines);

}  // namespace conccl::backend::hsa::conformance
