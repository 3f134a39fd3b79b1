// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/line_tagger.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "conccl/core/errors.hpp"

namespace conccl::cli {
namespace {

void write_all(int target, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(target, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd room{target, POLLOUT, 0};
      static_cast<void>(::poll(&room, 1, -1));
      continue;
    }
    if (written < 0) {
      throw RunError(fmt::format("cannot pass on the output of a rank: {}", std::strerror(errno)));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

FileDescriptor LineTagger::open(int rank, int target) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw RunError(
        fmt::format("no pipe for the output of rank {}: {}", rank, std::strerror(errno)));
  }
  FileDescriptor source(ends[0]);
  // Only this end: the rank's own writes wait when the pipe is full.
  ::fcntl(source.get(), F_SETFL, O_NONBLOCK);
  streams_.push_back({fmt::format("[{}] ", rank), target, std::move(source), {}});
  return FileDescriptor(ends[1]);
}

void LineTagger::add_to(std::vector<pollfd>& wanted) const {
  for (const auto& stream : streams_) {
    if (stream.source) wanted.push_back({stream.source.get(), POLLIN, 0});
  }
}

void LineTagger::forward() {
  for (auto& stream : streams_) {
    if (stream.source) read_from(stream);
  }
}

void LineTagger::finish() {
  forward();
  for (auto& stream : streams_) write_rest(stream);
}

void LineTagger::read_from(Stream& stream) {
  std::array<char, 16'384> buffer{};
  while (true) {
    const auto count = ::read(stream.source.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) break;
    stream.pending.append(buffer.data(), static_cast<std::size_t>(count));
    write_lines(stream);
  }
  stream.source = {};
  write_rest(stream);
}

void LineTagger::write_lines(Stream& stream) {
  std::string_view rest = stream.pending;
  std::string text;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    text.append(stream.tag).append(rest.substr(0, end + 1));
    rest.remove_prefix(end + 1);
  }
  write_all(stream.target, text);
  stream.pending.erase(0, stream.pending.size() - rest.size());
  if (stream.pending.size() > kLongestLine) write_rest(stream);
}

void LineTagger::write_rest(Stream& stream) {
  if (stream.pending.empty()) return;
  write_all(stream.target, stream.tag + stream.pending + "\n");
  stream.pending.clear();
}

}  // namespace conccl::cli
