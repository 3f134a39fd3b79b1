// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the handles of the C API stand for.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capi/error_text.hpp"
#include "capi/guard.hpp"
#include "capi/handle_table.hpp"
#include "capi/memory.hpp"
#include "capi/stream_cache.hpp"
#include "conccl/comm/communicator.hpp"
#include "conccl/conccl.h"

namespace conccl::capi {

using Devices = std::vector<std::shared_ptr<backend::Device>>;

/// A communicator and the devices it must not outlive.
class Comm {
 public:
  /// `devices`: all that the communicator reaches; `device_index`: of its own.
  Comm(comm::Communicator communicator, Devices devices, int device_index)
      : devices_(std::move(devices)),
        device_index_(device_index),
        communicator_(std::move(communicator)) {}

  [[nodiscard]] comm::Communicator& communicator() { return communicator_; }
  [[nodiscard]] int device_index() const { return device_index_; }
  /// The owner of the communicator's own device.
  [[nodiscard]] std::shared_ptr<backend::Device> device() const;
  /// The stream that a call on this communicator names: of concclStreamCreate, or the caller's own.
  /// Throws InputError beginning with `function` for what is none.
  [[nodiscard]] std::shared_ptr<Stream> stream(concclStream_t handle, std::string_view function);
  /// "communicator 'world', rank 3"
  [[nodiscard]] std::string description() const;

  /// In a handler: keeps the exception's text, and throws it on, a RunError of a communicator that
  /// has failed as PeerError.
  [[noreturn]] void rethrow();
  /// Why the communicator has failed, else what its last failing call said. Any thread.
  void copy_last_error(ErrorText& text);

 private:
  Devices devices_;
  int device_index_;
  std::mutex mutex_;
  ErrorText last_error_;  ///< under mutex_
  StreamCache streams_;
  comm::Communicator communicator_;
};

struct RegisteredWindow {
  std::weak_ptr<Comm> comm;
  comm::Window window;
  Pin pin;
};

/// The process's. Never destroyed.
[[nodiscard]] HandleTable<Comm>& comm_table();
[[nodiscard]] HandleTable<Stream>& stream_table();
[[nodiscard]] HandleTable<RegisteredWindow>& window_table();

/// Throw InputError beginning with `function` when the handle is not alive; a stream's, when it is
/// not of concclStreamCreate.
[[nodiscard]] std::shared_ptr<Comm> comm_of(concclComm_t handle, std::string_view function);
[[nodiscard]] std::shared_ptr<Stream> stream_of(concclStream_t handle, std::string_view function);

[[nodiscard]] inline concclComm_t add_handle(std::shared_ptr<Comm> comm) {
  return static_cast<concclComm_t>(comm_table().add(std::move(comm)));
}

/// `guarded`, with the communicator a handle stands for.
template <typename Body>
concclResult_t guarded_on(concclComm_t handle, std::string_view function, Body&& body) noexcept {
  return guarded([&] {
    const auto comm = comm_of(handle, function);
    try {
      std::forward<Body>(body)(comm);
    } catch (...) {
      comm->rethrow();
    }
  });
}

}  // namespace conccl::capi
