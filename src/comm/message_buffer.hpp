// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `MessageBuffer`: a message that comes in pieces.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "comm/wire.hpp"
#include "conccl/core/descriptor.hpp"

namespace conccl::comm {

enum class Intake { partial, message, closed };

/// One connection's next message. The header is checked before anything of the body is taken in.
class MessageBuffer {
 public:
  /// Bodies longer than `max_body` are refused whatever their kind.
  explicit MessageBuffer(std::size_t max_body) : max_body_(max_body) {}

  /// Takes what there is, without waiting. Throws InputError for bytes that are no message.
  [[nodiscard]] Intake read_from(const FileDescriptor& socket);
  /// The message, after `Intake::message`; the next one may come then.
  [[nodiscard]] Message take();

 private:
  [[nodiscard]] std::size_t wanted() const;
  void check_header();

  std::size_t max_body_;
  std::vector<std::byte> bytes_;
  std::optional<Header> header_;
};

}  // namespace conccl::comm
