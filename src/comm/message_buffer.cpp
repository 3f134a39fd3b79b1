// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/message_buffer.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <span>

#include "conccl/core/errors.hpp"

namespace conccl::comm {

std::size_t MessageBuffer::wanted() const {
  return kHeaderBytes + (header_ ? header_->body_bytes : 0) - bytes_.size();
}

void MessageBuffer::check_header() {
  header_ = decode_header(bytes_);
  if (header_->body_bytes > max_body_) {
    throw InputError(fmt::format("message: kind {} with {} bytes, at most {} are expected here",
                                 header_->kind, header_->body_bytes, max_body_));
  }
}

Intake MessageBuffer::read_from(const FileDescriptor& socket) {
  std::array<std::byte, 4096> piece;
  while (true) {
    if (!header_ && bytes_.size() == kHeaderBytes) check_header();
    if (header_ && wanted() == 0) return Intake::message;
    const ssize_t got =
        recv(socket.get(), piece.data(), std::min(wanted(), piece.size()), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Intake::partial;
    if (got <= 0) return Intake::closed;
    const auto came = std::span(piece).first(static_cast<std::size_t>(got));
    bytes_.insert(bytes_.end(), came.begin(), came.end());
  }
}

Message MessageBuffer::take() {
  Message message = decode_body(*header_, std::span(bytes_).subspan(kHeaderBytes));
  bytes_.clear();
  header_.reset();
  return message;
}

}  // namespace conccl::comm
