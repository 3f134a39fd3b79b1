// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// How a test tells the doubles of HIP and rocBLAS what to be and what to do wrong, and asks what
/// they have done.
///
/// Settings, also in CONCCL_FAKE_HIP="order=2,0 fail=hipStreamQuery", read when devices are
/// counted; what `set` says wins:
///   order      which GPUs of the HSA runtime the devices are; "all": all of them, in its order
///   fail       a call that fails with hipErrorUnknown (rocblas_status_internal_error), from now on
///   fail_at    which of its calls does; 1 is the next one. 0: all of them
///   hang_at    the Nth operation put into a stream from now on never ends; 0: none
///   capturing  what hipStreamIsCapturing says: 0, 1 (it is), or 2 (hipErrorStreamCaptureImplicit)
///
/// Counters: streams, events and words (of signal memory) that are alive; launches: work that ran;
/// units and priority of the stream made last (0 units: no mask); unfenced_writes: values written
/// behind work without a system release between them; unfenced_reads: work behind a wait without a
/// system acquire between them.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>
#include <string>

extern "C" {
/// 0, or another number and a line on stderr.
int conccl_fake_hip_set(const char* name, const char* value);
/// -1: no such counter.
std::int64_t conccl_fake_hip_get(const char* name);
/// Forgets what was set, and counts of what has happened; what hangs ends, and the calling thread's
/// device is the first.
void conccl_fake_hip_reset();
}

namespace conccl::test {

/// The double that a program has open, or would open, by this path. Forgets all at both ends.
class FakeHip {
 public:
  explicit FakeHip(const std::string& path)
      : library_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
    find("conccl_fake_hip_set", set_);
    find("conccl_fake_hip_get", get_);
    find("conccl_fake_hip_reset", reset_);
    reset_();
  }
  ~FakeHip() { reset_(); }
  FakeHip(const FakeHip&) = delete;
  FakeHip& operator=(const FakeHip&) = delete;

  void set(const std::string& name, const std::string& value) {
    if (set_(name.c_str(), value.c_str()) != 0) throw std::invalid_argument(name + "=" + value);
  }
  [[nodiscard]] std::int64_t get(const std::string& name) const {
    const auto value = get_(name.c_str());
    if (value == -1) throw std::invalid_argument(name);
    return value;
  }
  void reset() { reset_(); }
  /// A call of HIP's.
  template <typename Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(::dlerror());
  }

 private:
  void* library_;  ///< stays open: its threads may run until the process ends
  decltype(&conccl_fake_hip_set) set_ = nullptr;
  decltype(&conccl_fake_hip_get) get_ = nullptr;
  decltype(&conccl_fake_hip_reset) reset_ = nullptr;
};

}  // namespace conccl::test
