// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/handles.hpp"

#include <fmt/format.h>

namespace conccl::capi {
namespace {

std::string not_alive(std::string_view function, std::string_view kind, const void* handle) {
  return fmt::format("{}: {} {} is not alive", function, kind, handle);
}

}  // namespace

std::shared_ptr<backend::Device> Comm::device() const {
  for (const auto& device : devices_) {
    if (device.get() == &communicator_.device()) return device;
  }
  throw_broken_invariant("a communicator's device is not among its own",
                         std::source_location::current());
}

std::shared_ptr<Stream> Comm::stream(concclStream_t handle, std::string_view function) {
  if (auto made_here = stream_table().find(handle)) return made_here;
  if (auto own = streams_.get(device(), handle)) return own;
  throw InputError(not_alive(function, "stream", handle));
}

std::string Comm::description() const {
  return fmt::format("communicator '{}', rank {}", communicator_.options().name,
                     communicator_.rank());
}

void Comm::rethrow() {
  try {
    throw;
  } catch (const std::exception& error) {
    {
      const std::lock_guard lock(mutex_);
      last_error_.set(error.what());
    }
    if (dynamic_cast<const RunError*>(&error) != nullptr && communicator_.async_error()) {
      throw PeerError(error.what());
    }
    throw;
  }
}

void Comm::copy_last_error(ErrorText& text) {
  if (const auto reason = communicator_.async_error()) {
    text.set(*reason);
    return;
  }
  const std::lock_guard lock(mutex_);
  text = last_error_;
}

HandleTable<Comm>& comm_table() {
  static auto* const table = new HandleTable<Comm>;
  return *table;
}

HandleTable<Stream>& stream_table() {
  static auto* const table = new HandleTable<Stream>;
  return *table;
}

HandleTable<RegisteredWindow>& window_table() {
  static auto* const table = new HandleTable<RegisteredWindow>;
  return *table;
}

std::shared_ptr<Comm> comm_of(concclComm_t handle, std::string_view function) {
  auto comm = comm_table().find(handle);
  if (comm == nullptr) throw InputError(not_alive(function, "communicator", handle));
  return comm;
}

std::shared_ptr<Stream> stream_of(concclStream_t handle, std::string_view function) {
  auto stream = stream_table().find(handle);
  if (stream == nullptr) {
    throw InputError(not_alive(function, "stream", handle) + " or not of concclStreamCreate");
  }
  return stream;
}

}  // namespace conccl::capi
