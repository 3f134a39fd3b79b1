// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Backends and devices of this process, opened when they are first asked for.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "conccl/backend/device.hpp"

namespace conccl::capi {

/// A backend that is open, with the devices that somebody holds. Thread-safe.
class OpenBackend {
 public:
  explicit OpenBackend(std::unique_ptr<backend::Backend> backend) : backend_(std::move(backend)) {}

  [[nodiscard]] backend::Backend& backend() const { return *backend_; }
  /// The same device for every holder; it closes with the last. Throws InputError for an index the
  /// backend does not serve.
  [[nodiscard]] std::shared_ptr<backend::Device> device(int index);
  /// The one the calling thread has chosen by the vendor's own means; else any device that is open;
  /// else device 0.
  [[nodiscard]] std::shared_ptr<backend::Device> device_of_thread();
  /// What the backend calls device `index`, where several indices stand for one.
  [[nodiscard]] int distinct(int index) const;

 private:
  std::unique_ptr<backend::Backend> backend_;
  std::mutex mutex_;
  std::map<int, std::weak_ptr<backend::Device>> devices_;
};

/// The backend of that name; empty: the one that CONCCL_BACKEND names, without it the first that
/// works here. Opened once, closed never: streams and memory that the program forgot may live as
/// long as the process. Thread-safe.
[[nodiscard]] OpenBackend& open_backend(std::string_view name);
/// The backend that was opened first; where none was, the one of an empty name. Thread-safe.
[[nodiscard]] OpenBackend& first_backend();

}  // namespace conccl::capi
