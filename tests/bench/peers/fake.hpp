// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Fake`: a library with NCCL's names that only keeps a record of its calls.
#pragma once

#include <dlfcn.h>

#include <string>

namespace conccl::bench::test {

/// What the fake library is steered with.
class Fake {
 public:
  explicit Fake(const char* path) : library_(dlopen(path, RTLD_NOW)) { call("fake_reset"); }
  ~Fake() { call("fake_reset"); }
  Fake(const Fake&) = delete;
  Fake& operator=(const Fake&) = delete;

  [[nodiscard]] std::string log() const { return find<const char*()>("fake_log")(); }
  void fail(const char* name, int code) const {
    find<void(const char*, int)>("fake_fail")(name, code);
  }
  void slow_down(const char* name) const { find<void(const char*)>("fake_slow_down")(name); }
  void async_error(int code) const { find<void(int)>("fake_async_error")(code); }
  void call(const char* name) const { find<void()>(name)(); }

 private:
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }
  void* library_;
};

template <typename Wanted>
std::string error_of(const auto& action) {
  try {
    action();
  } catch (const Wanted& error) {
    return error.what();
  }
  return "nothing thrown";
}

}  // namespace conccl::bench::test
