// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// How a test tells the double of the HSA runtime what to be and what to do wrong, and asks what it
/// has done. The settings are those of settings.hpp.
///
/// For processes: CONCCL_FAKE_HSA="gpus=4 fail_copy_at=3", read by hsa_init; what `set` says wins.
///
/// Counters, from the last hsa_init on, also after the shut-down: copies, cu_copies, bytes, kernels
/// and engine.G.E (copies given to engine E of GPU G); alive: running (copies), signals,
/// allocations, imports, locked, queues; queue.N.units and queue.N.priority of the Nth queue made.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>
#include <string>

extern "C" {
/// Faults at once, the layout with the next hsa_init. 0, or another number and a line on stderr.
int conccl_fake_hsa_set(const char* name, const char* value);
/// A counter, or the value of a setting that is in effect; -1: no such name.
std::int64_t conccl_fake_hsa_get(const char* name);
/// Forgets what was set and counted; what is alive stays so. Completions that were lost come.
void conccl_fake_hsa_reset();
}

namespace conccl::test {

/// The double that a program has open, or would open, by this path. Forgets all at both ends.
class FakeHsa {
 public:
  explicit FakeHsa(const std::string& path)
      : library_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
    find("conccl_fake_hsa_set", set_);
    find("conccl_fake_hsa_get", get_);
    find("conccl_fake_hsa_reset", reset_);
    reset();
  }
  ~FakeHsa() { reset_(); }
  FakeHsa(const FakeHsa&) = delete;
  FakeHsa& operator=(const FakeHsa&) = delete;

  void set(const std::string& name, const std::string& value) {
    if (set_(name.c_str(), value.c_str()) != 0) throw std::invalid_argument(name + "=" + value);
  }
  void set(const std::string& name, std::int64_t value) { set(name, std::to_string(value)); }
  [[nodiscard]] std::int64_t get(const std::string& name) const {
    const auto value = get_(name.c_str());
    if (value == -1 && name != "hang_engine" && name != "cu_engine")
      throw std::invalid_argument(name);
    return value;
  }
  void reset() { reset_(); }
  /// For the calls of the runtime itself.
  [[nodiscard]] void* library() const { return library_; }

 private:
  template <typename Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(::dlerror());
  }

  void* library_;  ///< stays open: its threads may run until the process ends
  decltype(&conccl_fake_hsa_set) set_ = nullptr;
  decltype(&conccl_fake_hsa_get) get_ = nullptr;
  decltype(&conccl_fake_hsa_reset) reset_ = nullptr;
};

}  // namespace conccl::test
