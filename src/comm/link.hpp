// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Link`: the connection between two ranks, which also carries descriptors, and by whose end a
/// rank's death is noticed.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "comm/wire.hpp"
#include "conccl/core/descriptor.hpp"

namespace conccl::comm {

/// A message and the descriptors beside it, often none.
struct Delivery {
  Message message;
  std::vector<FileDescriptor> descriptors;
};

/// One end of a connected Unix-domain socket (SOCK_SEQPACKET: one message is one packet). Movable.
/// One thread at a time may receive and one may send, side by side.
class Link {
 public:
  Link() = default;
  explicit Link(FileDescriptor socket) : socket_(std::move(socket)) {}

  [[nodiscard]] bool open() const { return static_cast<bool>(socket_); }
  /// For poll(): readable when there is a message or the peer is gone.
  [[nodiscard]] int descriptor() const { return socket_.get(); }
  void close() { socket_ = {}; }

  /// With at most backend::Shareable::kMaxDescriptors beside it. Throws RunError when the peer is
  /// gone or does not take the message within `limit`.
  void send(const Message& message, std::span<const FileDescriptor> beside,
            std::chrono::milliseconds limit);
  /// The next message; nullopt when the peer has closed its end (or its process ended). Throws
  /// RunError after `limit` and at the limit of open files, InputError for bytes that are no
  /// message or have too many descriptors beside them.
  [[nodiscard]] std::optional<Delivery> receive(std::chrono::milliseconds limit);
  /// Whether the peer has closed its end (or its process ended). Never waits; any thread.
  [[nodiscard]] bool peer_is_gone() const;
  /// Tells the peer why this rank gives up, if it can be told at once and the link is open.
  void refuse(const std::string& reason) noexcept;

 private:
  FileDescriptor socket_;
};

}  // namespace conccl::comm
