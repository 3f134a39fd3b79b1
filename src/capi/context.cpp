// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/context.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

#include "conccl/backend/registry.hpp"

namespace conccl::capi {
namespace {

std::string_view default_name() {
  const char* const named = std::getenv("CONCCL_BACKEND");
  return named != nullptr ? named : "";
}

class Context {
 public:
  OpenBackend& open(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (name.empty() && default_ != nullptr) return *default_;
    if (OpenBackend* known = find(name)) return *known;
    OpenBackend& opened = adopt(backend::open(name.empty() ? default_name() : name));
    if (name.empty()) default_ = &opened;
    return opened;
  }

  OpenBackend* first() {
    const std::lock_guard lock(mutex_);
    return backends_.empty() ? nullptr : backends_.front().get();
  }

 private:
  OpenBackend* find(std::string_view name) {
    for (const auto& open : backends_) {
      if (open->backend().capabilities().backend == name) return open.get();
    }
    return nullptr;
  }

  // The default may turn out to be one that was opened by name.
  OpenBackend& adopt(std::unique_ptr<backend::Backend> backend) {
    if (OpenBackend* known = find(backend->capabilities().backend)) return *known;
    backends_.push_back(std::make_unique<OpenBackend>(std::move(backend)));
    return *backends_.back();
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<OpenBackend>> backends_;
  OpenBackend* default_ = nullptr;
};

Context& context() {
  static auto* const instance = new Context;
  return *instance;
}

}  // namespace

OpenBackend& open_backend(std::string_view name) { return context().open(name); }

OpenBackend& first_backend() {
  OpenBackend* const first = context().first();
  return first != nullptr ? *first : open_backend({});
}

std::shared_ptr<backend::Device> OpenBackend::device(int index) {
  const std::lock_guard lock(mutex_);
  if (const auto known = devices_.find(index); known != devices_.end()) {
    if (auto open = known->second.lock()) return open;
  }
  std::shared_ptr<backend::Device> opened = backend_->open_device(index);
  devices_[index] = opened;
  return opened;
}

std::shared_ptr<backend::Device> OpenBackend::device_of_thread() {
  if (const auto chosen = backend_->current_device()) return device(*chosen);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [index, known] : devices_) {
      if (auto open = known.lock()) return open;
    }
  }
  return device(0);
}

int OpenBackend::distinct(int index) const {
  const int count = backend_->capabilities().distinct_devices;
  return count > 0 ? index % count : index;
}

}  // namespace conccl::capi
